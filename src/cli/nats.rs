//! The options of commands that use a cluster.

use std::path::PathBuf;

use clap::{Arg, Args};

use super::backend::Backend;
use super::numbers::percent;
use super::{Context, Failure, fingerprint};
use crate::cluster::{Build, ConnectError, Connection, Credentials, Server};

/// Puts the options of a cluster under a separate heading, and hides their values from the environment, which may be
/// secrets.
pub(super) fn under_heading(arg: Arg) -> Arg {
    let is_of_cluster = arg.get_id().as_str().starts_with("nats") || arg.get_id() == "verify";
    if is_of_cluster {
        arg.help_heading("Cluster").hide_env_values(true)
    } else {
        arg
    }
}

/// The server of a cluster.
#[derive(Args, Clone)]
pub(super) struct ServerArgs {
    /// NATS server with JetStream, as in nats://host:4222, or several with commas between them; tls:// for TLS. User
    /// and password, or a token, can stand before an @.
    #[arg(long, value_name = "URL", env = "TILETUNE_NATS")]
    nats: Option<String>,
    /// File with a token.
    #[arg(long, value_name = "FILE", env = "TILETUNE_NATS_TOKEN_FILE")]
    nats_token_file: Option<PathBuf>,
    /// Credentials file of NATS: a JWT and the seed of its key.
    #[arg(
        long,
        value_name = "FILE",
        env = "TILETUNE_NATS_CREDS",
        conflicts_with = "nats_token_file"
    )]
    nats_creds: Option<PathBuf>,
    /// File with the seed of an nkey.
    #[arg(long, value_name = "FILE", env = "TILETUNE_NATS_NKEY", conflicts_with_all = ["nats_token_file", "nats_creds"])]
    nats_nkey: Option<PathBuf>,
    /// File with certificates of authorities to trust besides those of the system (PEM).
    #[arg(long, value_name = "FILE", env = "TILETUNE_NATS_CA")]
    nats_ca: Option<PathBuf>,
    /// File with a certificate of this client (PEM), for a server that asks for one.
    #[arg(
        long,
        value_name = "FILE",
        env = "TILETUNE_NATS_CERT",
        requires = "nats_key"
    )]
    nats_cert: Option<PathBuf>,
    /// File with the key of that certificate (PEM).
    #[arg(
        long,
        value_name = "FILE",
        env = "TILETUNE_NATS_KEY",
        requires = "nats_cert"
    )]
    nats_key: Option<PathBuf>,
}

impl ServerArgs {
    /// The server; `None` if no URL is given.
    pub(super) fn server(&self) -> Result<Option<Server>, Failure> {
        let token = self.nats_token_file.clone().map(Credentials::TokenFile);
        let creds = self.nats_creds.clone().map(Credentials::CredentialsFile);
        let nkey = self.nats_nkey.clone().map(Credentials::NkeyFile);
        let credentials = token.or(creds).or(nkey);
        let certificate = self.nats_cert.clone().zip(self.nats_key.clone());
        let Some(urls) = self.nats.clone().filter(|urls| !urls.is_empty()) else {
            let is_given = credentials.is_some() || self.nats_ca.is_some() || certificate.is_some();
            return if is_given {
                Err(Failure::usage("credentials are given without --nats URL"))
            } else {
                Ok(None)
            };
        };
        Ok(Some(Server {
            urls,
            credentials,
            authorities: self.nats_ca.clone(),
            certificate,
        }))
    }

    /// The server. Fails if no URL is given.
    pub(super) fn needed(&self) -> Result<Server, Failure> {
        let message = "which NATS server? --nats URL, or TILETUNE_NATS in the environment";
        self.server()?.ok_or_else(|| Failure::usage(message))
    }
}

impl Context {
    /// The build whose workers play: the build of this program.
    pub(super) fn build(self) -> Build {
        match self.testing.build {
            Some(name) => Build::named(name),
            None => Build::of(&fingerprint::games_hash(self.catalogue)),
        }
    }
}

/// The options of the commands whose games a cluster can play.
#[derive(Args, Clone)]
pub(super) struct ClusterArgs {
    #[command(flatten)]
    server: ServerArgs,
    /// Share of the tasks of a cluster that are played again here, beside the first one of each worker.
    #[arg(long, default_value = "2%", value_parser = percent(0.0..=1.0))]
    verify: f64,
}

impl ClusterArgs {
    /// The machines that play: the workers of the given server, of whose tasks `threads` threads replay some; or these
    /// threads if no server is given.
    pub(super) fn backend(&self, threads: usize, context: Context) -> Result<Backend, Failure> {
        let Some(server) = self.server.server()? else {
            return Ok(Backend::Here(threads));
        };
        let say = Box::new(move |text: &str| context.message(text));
        let build = context.build();
        let connection = Connection::open(&server, &build, threads, self.verify, say)?;
        context.message(format!(
            "games are played by workers of build {} on {}",
            build.name(),
            server.shown()
        ));
        Ok(Backend::Cluster(connection))
    }

    /// Reports that a given cluster is not used.
    pub(super) fn leave_out(&self, context: Context) -> Result<(), Failure> {
        if self.server.server()?.is_some() {
            context.message("the estimate is for this machine; the cluster is not asked");
        }
        Ok(())
    }
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::Refused(message) => Failure::Usage(message),
            ConnectError::Unreachable(message) => Failure::Failed(message),
        }
    }
}
