//! A Chromium without a window, for tests of pages.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tiletune::Stop;
use tiletune::browser::protocol::{DevTools, Target, targets};

/// Names the browser; without it the PATH is searched.
const VARIABLE: &str = "TILETUNE_CHROMIUM";

/// With the value `required`, a test fails where there is no browser.
const REQUIRED: &str = "TILETUNE_BROWSER_TESTS";

/// The time that anything in a browser may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A running browser with a profile of its own. It ends when this is dropped.
pub struct Chromium {
    child: Child,
    /// The port of its remote debugging.
    pub port: u16,
    profile: tempfile::TempDir,
}

impl Chromium {
    /// Starts the browser with a page, and flags before it. `None` if the machine has no Chromium; the test then says
    /// that it is skipped.
    pub fn start(arguments: &[&str]) -> Option<Self> {
        let Some(program) = program() else {
            let required = std::env::var(REQUIRED).is_ok_and(|value| value == "required");
            assert!(!required, "no Chromium: install it, or set {VARIABLE}");
            println!("skipped: no chromium");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new(program);
        command
            .args(["--headless=new", "--disable-gpu", "--no-first-run"])
            .arg("--disable-background-networking")
            .arg("--remote-debugging-port=0")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        #[cfg(unix)]
        {
            use std::os::unix::{fs::MetadataExt, process::CommandExt};
            // Its sandbox cannot be set up by root. The profile belongs to whoever runs the tests.
            if profile.path().metadata().unwrap().uid() == 0 {
                command.arg("--no-sandbox");
            }
            command.process_group(0);
        }
        let child = command.spawn().unwrap();
        let mut chromium = Chromium {
            child,
            port: 0,
            profile,
        };
        let file = chromium.profile.path().join("DevToolsActivePort");
        chromium.port = until("Chromium is up", || port(&file));
        Some(chromium)
    }

    /// The number of the group of its processes.
    pub fn group(&self) -> u32 {
        self.child.id()
    }

    /// The page with a part of its address.
    pub fn target(&self, part: &str) -> Target {
        let is_it = |target: &Target| target.kind == "page" && target.url.contains(part);
        until(part, || {
            let mut all = targets(self.port, Stop::never()).ok()?.into_iter();
            all.find(is_it)
        })
    }

    /// Opens another page in a tab of its own.
    pub fn open(&self, address: &str) {
        let mut tab = self.page("");
        let page = json!({ "url": address });
        tab.0.call("Target.createTarget", page).unwrap();
    }

    /// A connection to the page with a part of its address.
    pub fn page(&self, part: &str) -> Tab {
        let target = self.target(part);
        let mut connection = DevTools::open(self.port, &target, Stop::never()).unwrap();
        connection.set_patience(PATIENCE);
        Tab(connection)
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // The browser with its helpers, which are in its group.
        #[cfg(unix)]
        {
            use nix::sys::signal::{Signal, killpg};
            let group = nix::unistd::Pid::from_raw(self.child.id().cast_signed());
            let _ = killpg(group, Signal::SIGKILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An open page.
pub struct Tab(pub DevTools<'static>);

impl Tab {
    /// The value of an expression.
    pub fn value(&mut self, expression: &str) -> Value {
        self.0.evaluate(expression).unwrap()
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        until(expression, || {
            // A page that is being loaded has no value.
            let value = self.0.evaluate(expression).ok()?;
            (value == true).then_some(())
        });
    }

    /// Calls a method of the protocol.
    pub fn call(&mut self, method: &'static str, parameters: Value) {
        self.0.call(method, parameters).unwrap();
    }

    /// Presses and releases a key.
    pub fn press(&mut self, key: &str) {
        for kind in ["rawKeyDown", "keyUp"] {
            let event = json!({ "type": kind, "key": key, "code": key });
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Opens another page and waits until it is loaded.
    pub fn open(&mut self, address: &str) {
        let to = json!({ "url": address });
        self.0.call("Page.navigate", to).unwrap();
        let part = json!(address).to_string();
        self.wait(&format!(
            "document.readyState === 'complete' && location.href === {part}"
        ));
    }
}

/// Asks until there is an answer.
pub fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begun.elapsed() < PATIENCE, "waited for: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut files =
        std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    files.find(|file| file.is_file())
}

/// The port that the browser has written, once it has.
fn port(file: &Path) -> Option<u16> {
    let text = std::fs::read_to_string(file).ok()?;
    // The second line follows the first.
    let (port, _) = text.split_once('\n')?;
    port.parse().ok()
}
