//! What the environment says.

use std::env;
use std::fs;
use std::time::Duration;

use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

pub struct Settings {
    pub servers: Vec<String>,
    pub name: String,
    /// The same after each loss.
    pub instance: String,
    /// A later process may come back for the seats.
    pub returns: bool,
    pub token: String,
    pub capacity: u32,
}

impl Settings {
    pub fn from_environment(name: &str) -> Result<Settings, String> {
        let instance = variable("CONTREE_INSTANCE");
        let servers = variable("CONTREE_SERVER").unwrap_or("127.0.0.1:50051".into());
        let token = match variable("CONTREE_TOKEN") {
            Some(token) => token,
            None => file("CONTREE_TOKEN_FILE")?.unwrap_or_default(),
        };
        let capacity = variable("CONTREE_CAPACITY").unwrap_or("0".into());
        Ok(Settings {
            servers: servers
                .split(',')
                .map(|server| server.trim().to_owned())
                .collect(),
            name: variable("CONTREE_BOT").unwrap_or(name.into()),
            returns: instance.is_some(),
            instance: instance.unwrap_or_else(|| format!("{:032x}", rand::random::<u128>())),
            token: token.trim().to_owned(),
            capacity: capacity
                .parse()
                .map_err(|_| "CONTREE_CAPACITY is not a number of seats")?,
        })
    }
}

/// Where to dial: HOST:PORT, or with TLS tls://HOST:PORT; for that CONTREE_CA, CONTREE_CERT and
/// CONTREE_CERT_KEY name files, all optional.
pub fn endpoint(server: &str, patience: Duration) -> Result<Endpoint, String> {
    let bad = |error: tonic::transport::Error| format!("{server} is no address: {error}");
    let Some(place) = server.strip_prefix("tls://") else {
        let plain = Endpoint::from_shared(format!("http://{server}")).map_err(bad)?;
        return Ok(plain.connect_timeout(patience));
    };
    let mut tls = ClientTlsConfig::new();
    tls = match file("CONTREE_CA")? {
        Some(authority) => tls.ca_certificate(Certificate::from_pem(authority)),
        None => tls.with_native_roots(),
    };
    if let (Some(own), Some(key)) = (file("CONTREE_CERT")?, file("CONTREE_CERT_KEY")?) {
        tls = tls.identity(Identity::from_pem(own, key));
    }
    let secure = Endpoint::from_shared(format!("https://{place}")).map_err(bad)?;
    Ok(secure
        .tls_config(tls)
        .map_err(bad)?
        .connect_timeout(patience))
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|text| !text.is_empty())
}

/// The content of the file that a variable names.
fn file(name: &str) -> Result<Option<String>, String> {
    let read = |path| fs::read_to_string(&path).map_err(|e| format!("{name} cannot be read: {e}"));
    variable(name).map(read).transpose()
}
