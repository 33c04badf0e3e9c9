//! Who may ask for what. Pages are for everybody who reaches the server under a name of its own; whatever writes, compiles or runs
//! takes a token, which is new with every start and travels behind the `#` of the printed link, where no other site sees it.

use sha2::{Digest, Sha256};
use std::net::IpAddr;

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visitor {
    /// The reader whose workbook it is: kernel files are written, progress is kept.
    Owner,
    /// Somebody in the class room: only texts that the page keeps are compiled and checked.
    Guest,
}

impl Visitor {
    /// As pages have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Guest => "guest",
        }
    }
}

/// What a request says of where it comes from.
#[derive(Debug, Default)]
pub struct Claims<'a> {
    /// `Host`.
    pub host: Option<&'a str>,
    /// `Origin`.
    pub origin: Option<&'a str>,
    /// `Sec-Fetch-Site`.
    pub site: Option<&'a str>,
    /// The token.
    pub token: Option<&'a str>,
}

/// Why a request is turned away.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuardError {
    /// A name that somebody else may have given to this machine's address.
    #[error("this server is not called `{0}`; next: open the link that it printed")]
    Host(String),
    /// A page of another site.
    #[error("a page of another site asked; next: open the link that the server printed")]
    Origin,
    /// No token, or that of an earlier start.
    #[error(
        "this page has no token, or one of an earlier start; next: open the link that `checker book serve` printed"
    )]
    Token,
}

/// The rules of one start.
#[derive(Debug)]
pub struct Guard {
    owner: String,
    guest: Option<String>,
}

impl Guard {
    /// New tokens; with `lan` there are guests.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new(lan: bool) -> std::io::Result<Self> {
        Ok(Self { owner: token()?, guest: lan.then(token).transpose()? })
    }

    /// The owner's token.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// The guests' token, where there are any.
    pub fn guest(&self) -> Option<&str> {
        self.guest.as_deref()
    }

    /// May anything be answered? A name that is not an address may be anybody's: of those only `localhost` is known.
    ///
    /// # Errors
    /// It may not.
    pub fn reader(&self, claims: &Claims<'_>) -> Result<(), GuardError> {
        let host = claims.host.unwrap_or_default();
        let name =
            host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit())).map_or(host, |h| h.0);
        let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let known = match address {
            Ok(address) => address.is_loopback() || self.guest.is_some(),
            Err(_) => name == "localhost",
        };
        if known { Ok(()) } else { Err(GuardError::Host(host.to_owned())) }
    }

    /// Who asks for something to be done?
    ///
    /// # Errors
    /// Nobody who may.
    pub fn visitor(&self, claims: &Claims<'_>) -> Result<Visitor, GuardError> {
        self.reader(claims)?;
        let own = format!("http://{}", claims.host.unwrap_or_default());
        if claims.origin.is_some_and(|origin| origin != own) || claims.site.is_some_and(|site| site != "same-origin") {
            return Err(GuardError::Origin);
        }
        let given = claims.token.unwrap_or_default();
        // Digests, so that the time which comparing takes says nothing of the token.
        let same = |token: &str| Sha256::digest(token) == Sha256::digest(given);
        match &self.guest {
            _ if same(&self.owner) => Ok(Visitor::Owner),
            Some(guest) if same(guest) => Ok(Visitor::Guest),
            _ => Err(GuardError::Token),
        }
    }
}

fn token() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims<'a>(host: &'a str, origin: Option<&'a str>, token: &'a str) -> Claims<'a> {
        Claims { host: Some(host), origin, site: None, token: Some(token) }
    }

    #[test]
    fn only_the_own_pages_with_the_token_get_anything_done() {
        let guard = Guard::new(false).unwrap();
        let token = guard.owner().to_owned();
        let own = "localhost:3000";
        for (host, origin, want) in [
            (own, Some("http://localhost:3000"), Ok(Visitor::Owner)),
            (own, None, Ok(Visitor::Owner)),
            // A port forwarded by ssh.
            ("127.0.0.1:8123", Some("http://127.0.0.1:8123"), Ok(Visitor::Owner)),
            ("[::1]:3000", Some("http://[::1]:3000"), Ok(Visitor::Owner)),
            (own, Some("http://localhost:8000"), Err(GuardError::Origin)),
            (own, Some("https://localhost:3000"), Err(GuardError::Origin)),
            (own, Some("null"), Err(GuardError::Origin)),
            ("rebound.example:3000", None, Err(GuardError::Host("rebound.example:3000".into()))),
            ("192.168.1.7:3000", None, Err(GuardError::Host("192.168.1.7:3000".into()))),
            ("localhost.example", None, Err(GuardError::Host("localhost.example".into()))),
            ("", None, Err(GuardError::Host(String::new()))),
        ] {
            assert_eq!(guard.visitor(&claims(host, origin, &token)), want, "{host} {origin:?}");
        }
        for wrong in ["", "0", &token[1..], Guard::new(false).unwrap().owner()] {
            assert_eq!(guard.visitor(&claims(own, None, wrong)), Err(GuardError::Token));
        }
        let cross = Claims { site: Some("same-site"), ..claims(own, None, &token) };
        assert_eq!(guard.visitor(&cross), Err(GuardError::Origin));
    }

    #[test]
    fn guests_are_told_from_the_owner() {
        let guard = Guard::new(true).unwrap();
        let guest = guard.guest().unwrap();
        assert_eq!(guard.visitor(&claims("192.168.1.7:3000", None, guest)), Ok(Visitor::Guest));
        assert_eq!(guard.visitor(&claims("localhost:3000", None, guard.owner())), Ok(Visitor::Owner));
        assert_eq!(
            guard.visitor(&claims("rebound.example", None, guest)),
            Err(GuardError::Host("rebound.example".into()))
        );
    }
}
