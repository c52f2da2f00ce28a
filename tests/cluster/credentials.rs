//! Every kind of credentials against a server that asks for it: the right ones play, given as options and in the
//! environment, and wrong ones give one message at once. The keys in `keys` exist for these tests only: an operator
//! with an account that may use JetStream, its user, and a user whose account the server does not know.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::lab::Lab;

/// A file beside this one.
fn key(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cluster/keys")
        .join(name)
}

fn config(name: &str) -> [String; 2] {
    ["-c".to_owned(), key(name).to_str().unwrap().to_owned()]
}

/// A server with these arguments.
fn lab(arguments: &[String]) -> Option<Lab> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    Lab::new(&arguments)
}

/// Options of files as arguments of a command.
fn arguments<'a>(files: &'a [(&'a str, PathBuf)]) -> Vec<&'a str> {
    let pairs = files.iter();
    pairs
        .flat_map(|(option, file)| [*option, file.to_str().unwrap()])
        .collect()
}

const GAMES: [&str; 7] = [
    "evaluate", "--player", "random", "--games", "50", "--seed", "1",
];

/// A worker with options plays games for a command with the same in the environment.
fn plays(lab: &Lab, files: &[(&str, PathBuf)]) {
    let _worker = lab.worker("right", &arguments(files));
    let variable = |option: &str| {
        let name = option.trim_start_matches("--").replace('-', "_");
        format!("TILETUNE_{}", name.to_uppercase())
    };
    let variables = files.iter();
    let variables: Vec<_> = variables
        .map(|(option, file)| (variable(option), file.clone()))
        .collect();
    let mut games = lab.start_with("games", &GAMES, &variables);
    assert_eq!(games.ends(), Some(0), "{}", lab.messages("games"));
    assert!(lab.messages("games").contains("tasks of 1 worker"));
}

/// A worker and a run end at once with the message; secrets are not in it.
fn is_refused(lab: &Lab, files: &[(&str, PathBuf)], message: &str) {
    let options = arguments(files);
    for (name, command) in [
        ("worker", &["worker", "--threads", "1"][..]),
        ("games", &GAMES),
    ] {
        let _ = std::fs::remove_file(lab.path(name));
        let mut ended = lab.start(name, &[command, &options].concat());
        assert_eq!(ended.ends(), Some(2), "{}", lab.messages(name));
        let said = lab.messages(name);
        assert!(said.contains(message), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(!said.contains("secret"), "{said}");
    }
}

const REFUSED: &str = "refuses the credentials";
const MISSING: &str = "asks for credentials, and none are given";

#[test]
fn tokens() {
    let Some(mut lab) = Lab::new(&["--auth", "secret"]) else {
        return;
    };
    let file = |name: &str, text: &str| {
        let path = lab.path(name);
        std::fs::write(&path, text).unwrap();
        [("--nats-token-file", path)]
    };
    let (right, wrong) = (file("right-token", "secret\n"), file("token", "another"));
    plays(&lab, &right);
    is_refused(&lab, &[], MISSING);
    is_refused(&lab, &wrong, REFUSED);
    is_refused(
        &lab,
        &[("--nats-token-file", "missing".into())],
        "missing: No such file",
    );
    lab.user = "secret@";
    plays(&lab, &[]);
}

#[test]
fn users_and_passwords() {
    // Letters that a URL has other uses for.
    let Some(mut lab) = Lab::new(&["--user", "me", "--pass", "p@ss:secret/"]) else {
        return;
    };
    lab.user = "me:p%40ss%3Asecret%2F@";
    plays(&lab, &[]);
    lab.user = "me:secret@";
    is_refused(&lab, &[], REFUSED);
}

#[test]
fn nkeys() {
    let Some(lab) = lab(&config("nkey.conf")) else {
        return;
    };
    let nkey = |name| [("--nats-nkey", key(name))];
    plays(&lab, &nkey("user.nk"));
    is_refused(&lab, &[], MISSING);
    is_refused(&lab, &nkey("stranger.nk"), REFUSED);
    is_refused(&lab, &nkey("server.conf"), "no seed of a user's nkey");
}

#[test]
fn credentials_files_of_an_operator() {
    let Some(lab) = lab(&config("server.conf")) else {
        return;
    };
    let creds = |name| [("--nats-creds", key(name))];
    plays(&lab, &creds("user.creds"));
    is_refused(&lab, &[], MISSING);
    is_refused(&lab, &creds("stranger.creds"), REFUSED);
    is_refused(&lab, &creds("user.nk"), "cannot parse user JWT");
}

/// Makes an authority, a certificate of the server, and one of a client, with names that `openssl` gets.
fn certificates(folder: &Path) -> Result<(), String> {
    let openssl = |arguments: &str| {
        let output = Command::new("openssl")
            .args(arguments.split_whitespace())
            .current_dir(folder)
            .output();
        let output = output.map_err(|error| format!("openssl: {error}"))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        output.status.success().then_some(()).ok_or(said)
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    for name in ["ca", "other"] {
        openssl(&format!(
            "req -x509 {key} -keyout {name}.key -out {name}.pem -days 3650 -subj /CN={name}"
        ))?;
    }
    for (name, extension) in [
        ("server", "subjectAltName=IP:127.0.0.1"),
        ("client", "extendedKeyUsage=clientAuth"),
    ] {
        let file = folder.join(format!("{name}.ext"));
        std::fs::write(file, extension).map_err(|error| error.to_string())?;
        openssl(&format!(
            "req {key} -keyout {name}.key -out {name}.csr -subj /CN={name}"
        ))?;
        openssl(&format!(
            "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out {name}.pem -days 3650 \
             -extfile {name}.ext"
        ))?;
    }
    Ok(())
}

#[test]
fn certificates_of_both_sides() {
    let Some(mut lab) = Lab::new(&[]) else { return };
    if let Err(reason) = certificates(&lab.path("")) {
        let required = std::env::var("TILETUNE_CLUSTER_TESTS");
        assert!(required != Ok("required".into()), "{reason}");
        println!("skipped: {reason}");
        return;
    }
    let file = |name: &str| lab.path(name);
    let [ca, other, server, server_key, client, client_key] = [
        "ca.pem",
        "other.pem",
        "server.pem",
        "server.key",
        "client.pem",
        "client.key",
    ]
    .map(file);
    let text = |path: &PathBuf| path.to_str().unwrap().to_owned();
    let (cert, key, authority) = (text(&server), text(&server_key), text(&ca));
    let of_server = ["--tlscert", &cert, "--tlskey", &key];
    let by = |ca: &PathBuf| ("--nats-ca", ca.clone());

    lab.serve(&[&["--tls"], &of_server[..]].concat());
    plays(&lab, &[by(&ca)]);
    lab.scheme = "tls";
    plays(&lab, &[by(&ca)]);
    is_refused(&lab, &[], "cannot be reached by TLS");
    is_refused(&lab, &[by(&other)], "cannot be reached by TLS");
    is_refused(&lab, &[by(&client_key)], "client.key: no certificate in it");

    let mutual = ["--tlsverify", "--tlscacert", &authority];
    lab.serve(&[&mutual[..], &of_server].concat());
    let pair = |client: &PathBuf, key: &PathBuf| {
        [
            by(&ca),
            ("--nats-cert", client.clone()),
            ("--nats-key", key.clone()),
        ]
    };
    plays(&lab, &pair(&client, &client_key));
    is_refused(&lab, &[by(&ca)], "--nats-cert");
    is_refused(
        &lab,
        &pair(&client_key, &client),
        "client.key: no certificate in it",
    );

    lab.serve(&[]);
    is_refused(&lab, &[by(&ca)], "TLS");
}
