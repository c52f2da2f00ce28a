//! The files of the pages.

use super::serve;

#[test]
fn the_files_of_the_pages_are_served_and_name_no_other_site() {
    let served = serve(|_| {});
    let page = served.get("/");
    assert!(page.head.contains("content-type: text/html"), "{page:?}");
    let mut paths: Vec<String> = vec!["/".into()];
    let mut seen = 0;
    while let Some(path) = paths.get(seen).cloned() {
        seen += 1;
        let answer = served.get(&path);
        assert_eq!(answer.status, 200, "{path}");
        let body = answer.body.replace("http://www.w3.org/", "");
        assert!(
            !body.contains("http://") && !body.contains("https://"),
            "{path}"
        );
        // Whatever a file loads: its links, sources and imports.
        for quoted in body.split('"').skip(1).step_by(2) {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let wanted = match quoted {
                _ if !(quoted.ends_with(".js")
                    || quoted.ends_with(".css")
                    || quoted.ends_with(".svg")) =>
                {
                    continue;
                }
                _ if quoted.starts_with("../") => format!("/{}", &quoted[3..]),
                _ if quoted.starts_with("./") => format!("{folder}/{}", &quoted[2..]),
                _ => quoted.to_owned(),
            };
            if wanted.starts_with('/') && !paths.contains(&wanted) {
                paths.push(wanted);
            }
        }
    }
    assert!(paths.len() >= 12, "{paths:?}");
}
