//! The game among the open pages of a browser and their frames. This module must not press keys.

use super::Error;
use super::page::{Attached, Page, bring_to_front};
use super::protocol::{DevTools, Target, targets};
use super::script::{Pages, Script};
use crate::stop::Stop;

/// Number of letters of an id that are shown, and are enough to name a page.
const SHOWN_OF_ID: usize = 8;

/// How often the list of pages is read while no game is found.
const PASSES: u32 = 2;

/// The open page with a 2048 in the Chromium at a port. With `text`, the one whose title or address contains it, or whose id
/// begins with it. Frames of the pages are asked, too, also those of other sites. A page is asked by one script after the other
/// until it is a game.
///
/// # Errors
/// If no Chromium answers, or not exactly one page is a game.
pub fn find<'a>(
    port: u16,
    text: Option<&str>,
    scripts: &[Script],
    stop: Stop<'a>,
) -> Result<Page<'a>, Error> {
    let (mut games, mut failures) = (Vec::new(), Vec::new());
    let mut open = listed(port, stop)?;
    let mut asked: Vec<Target> = Vec::new();
    for _ in 0..PASSES {
        let meant = open.iter().filter(|target| {
            let is_new = asked.iter().all(|other| other.id != target.id);
            is_new && text.is_none_or(|text| is_meant(target, &open, text))
        });
        let meant: Vec<Target> = meant.cloned().collect();
        for target in &meant {
            for script in scripts {
                match games_of(port, target, &open, script, stop) {
                    Ok((found, failed)) => {
                        failures.extend(failed.map(|reason| (target.id.clone(), reason)));
                        if !found.is_empty() {
                            games.extend(found);
                            break;
                        }
                    }
                    Err(Error::Silent { .. } | Error::Closed { .. }) => break,
                    Err(error) => return Err(error),
                }
            }
        }
        asked.extend(meant);
        if !games.is_empty() {
            break;
        }
        // Frames of other sites are listed once they are loaded.
        open = listed(port, stop)?;
    }
    if asked.is_empty() {
        let pages = open.iter().filter(|target| is_page(target));
        return Err(Error::Which(match text {
            Some(text) => format!(
                "no open page has `{text}` in its title or address, or as its id{}",
                list(pages.map(|page| (page, "")))
            ),
            None => "no page is open in that Chromium".to_owned(),
        }));
    }
    let one = match (games.pop(), games.is_empty()) {
        (Some(page), true) => page,
        (None, _) => return Err(Error::Which(no_game(&asked, &failures, scripts))),
        (Some(last), false) => {
            games.push(last);
            let pages = games.iter().map(|page| (page.target(), page.url()));
            return Err(Error::Which(format!(
                "{} open pages are a 2048; say which with --page and a part of its title or address, or its id{}",
                games.len(),
                list(pages)
            )));
        }
    };
    shown(port, one, &open, stop)
}

/// The open pages and the frames of other sites. The windows of the browser itself are targets, too, but neither.
fn listed(port: u16, stop: Stop) -> Result<Vec<Target>, Error> {
    let mut open = targets(port, stop)?;
    open.retain(|target| is_page(target) || is_frame(target));
    open.retain(|target| !target.socket.is_empty());
    Ok(open)
}

/// The page, in front of the others that were asked.
fn shown<'a>(
    port: u16,
    mut page: Page<'a>,
    open: &[Target],
    stop: Stop<'a>,
) -> Result<Page<'a>, Error> {
    match parent(page.target(), open) {
        Some(parent) => bring_to_front(&mut DevTools::open(port, parent, stop)?)?,
        None => page.bring_to_front()?,
    }
    Ok(page)
}

fn is_page(target: &Target) -> bool {
    target.kind == "page"
}

fn is_frame(target: &Target) -> bool {
    target.kind == "iframe"
}

/// Whether a text of the user means a page, or the page of a frame.
fn is_meant(target: &Target, open: &[Target], text: &str) -> bool {
    let is_it = |target: &Target| {
        target.title.contains(text)
            || target.url.contains(text)
            || text.len() >= SHOWN_OF_ID && target.id.starts_with(text)
    };
    is_it(target) || parent(target, open).is_some_and(is_it)
}

/// The page that a frame of another site is in.
fn parent<'t>(target: &Target, open: &'t [Target]) -> Option<&'t Target> {
    let mut of = target.parent.as_deref()?;
    // A frame can be in a frame. The number of steps is bounded by that of the targets.
    for _ in open {
        let found = open.iter().find(|other| other.id == of)?;
        match &found.parent {
            Some(further) if !is_page(found) => of = further,
            _ => return Some(found),
        }
    }
    None
}

/// The games of a page: its own and those of its frames. And why a page adapter did not fit it.
fn games_of<'a>(
    port: u16,
    target: &Target,
    open: &[Target],
    script: &Script,
    stop: Stop<'a>,
) -> Result<(Vec<Page<'a>>, Option<String>), Error> {
    let mut connection = DevTools::open(port, target, stop)?;
    match parent(target, open) {
        Some(page) => bring_to_front(&mut DevTools::open(port, page, stop)?)?,
        None => bring_to_front(&mut connection)?,
    }
    let mut failed = match Page::attach(connection, (target, None), script, stop)? {
        Attached::Game(page) => return Ok((vec![*page], None)),
        Attached::No(reason) => reason,
    };
    // Only now the page is loaded.
    let frames = DevTools::open(port, target, stop)?.frames()?;
    let mut found = Vec::new();
    for frame in &frames {
        let mut connection = DevTools::open(port, target, stop)?;
        // A connection knows the contexts of its own.
        connection.frames()?;
        match Page::attach(connection, (target, Some(frame)), script, stop) {
            Ok(Attached::Game(page)) => found.push(*page),
            Ok(Attached::No(reason)) => failed = failed.or(reason),
            // A frame that is gone, or one without scripts.
            Err(Error::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok((found, failed))
}

/// The message that no page is a game.
fn no_game(asked: &[Target], failures: &[(String, String)], scripts: &[Script]) -> String {
    let pages = asked.iter().map(|target| {
        let failure = failures.iter().find(|(of, _)| *of == target.id);
        (target, failure.map_or("", |(_, reason)| reason.as_str()))
    });
    let pages: Vec<(&Target, &str)> = pages.collect();
    if scripts
        .iter()
        .any(|script| script.pages() == Pages::Adapter)
    {
        return format!(
            "no open page is a game for this page adapter: its read() gives a board on none of them{}",
            list(pages)
        );
    }
    format!(
        "no open page shows a 2048: it would have visible tiles in `.tile-container`, or a grid of cells with the numbers 2, 4, 8, ... \
         A page adapter teaches another page (--page-adapter, docs/page-adapter.md){}",
        list(pages)
    )
}

/// Titles, addresses and ids, one per line, each with a note if that says more.
fn list<'t>(targets: impl IntoIterator<Item = (&'t Target, &'t str)>) -> String {
    let line = |(target, note): (&Target, &str)| {
        let id: String = target.id.chars().take(SHOWN_OF_ID).collect();
        let note = match note {
            "" => String::new(),
            note if note == target.url => String::new(),
            note => format!(": {note}"),
        };
        format!("\n  {id}  {} ({}){note}", target.title, target.url)
    };
    let lines: Vec<String> = targets.into_iter().map(line).collect();
    if lines.is_empty() {
        String::new()
    } else {
        format!(":{}", lines.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(id: &str, kind: &str, parent: Option<&str>) -> Target {
        Target {
            id: id.into(),
            kind: kind.into(),
            title: format!("title of {id}"),
            url: format!("file:///{id}.html"),
            socket: "ws://".into(),
            parent: parent.map(str::to_owned),
        }
    }

    #[test]
    fn a_text_means_a_page_its_frames_or_an_id() {
        let open = [
            target("AAAAAAAA11", "page", None),
            target("BBBBBBBB22", "page", None),
            target("CCCCCCCC33", "iframe", Some("DDDDDDDD44")),
            target("DDDDDDDD44", "iframe", Some("BBBBBBBB22")),
        ];
        let meant = |text: &str| -> Vec<&str> {
            let meant = open.iter().filter(|one| is_meant(one, &open, text));
            meant.map(|one| &one.id[..1]).collect()
        };
        assert_eq!(meant("AAAAAAAA"), ["A"]);
        assert_eq!(meant("title of B"), ["B", "C", "D"]);
        assert_eq!(meant("33.html"), ["C"]);
        // A few letters of an id are no name.
        assert_eq!(meant("chess"), [""; 0]);
        let listed = list([(&open[0], "why"), (&open[1], "file:///BBBBBBBB22.html")]);
        assert!(listed.contains("AAAAAAAA  title of AAAAAAAA11 (file:///AAAAAAAA11.html): why"));
        assert!(listed.ends_with("(file:///BBBBBBBB22.html)"), "{listed}");
    }
}
