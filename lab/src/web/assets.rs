//! The files of the page. They are part of the binary, so that the page is what
//! it was when the lab was built, and needs nothing else.

use std::{
    borrow::Cow,
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
};

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{
    HeaderMap, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH},
};

use super::problem::Problem;

/// The page itself, whatever path it is shown under.
pub(super) const INDEX: &str = "index.html";

/// Every file by its name.
macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        const FILES: &[(&str, &[u8])] = &[
            $(($name, include_bytes!(concat!("../../assets/", $name)))),+
        ];
    };
}

files!(
    "actions.js",
    "api.js",
    "app.js",
    "brief.js",
    "counters.js",
    "course.js",
    "dom.js",
    "favicon.svg",
    "feed.js",
    "fields.js",
    "grade.css",
    "grade.js",
    "index.html",
    "keys.js",
    "ledger.js",
    "picture.js",
    "predict.js",
    "result.js",
    "runs.js",
    "scheme.js",
    "state.js",
    "storm.css",
    "storm.js",
    "storms.js",
    "style.css",
    "table-view.js",
    "table.js",
    "verdict.js",
    "waterfall.js",
    "wire.js"
);

/// Where the files come from.
#[derive(Clone, Debug)]
pub(super) enum Assets {
    /// The binary.
    Embedded,
    /// A folder, read anew each time: for whoever works on the page.
    Folder(PathBuf),
}

impl Assets {
    /// The files of a folder.
    ///
    /// # Errors
    ///
    /// What the operating system says if the page is not in it: who mistyped the
    /// folder would find every file missing, and not why.
    pub(super) fn of_folder(folder: &Path) -> io::Result<Self> {
        File::open(folder.join(INDEX))?;
        Ok(Self::Folder(folder.to_owned()))
    }

    /// A file as a response, or 304 for a browser that has it already.
    pub(super) fn respond(&self, name: &str, headers: &HeaderMap) -> Response {
        let Some((media_type, content)) = media_type(name).zip(self.read(name)) else {
            return Problem::not_found().into_response();
        };
        let tag = tag(&content);
        let head = [(CACHE_CONTROL, "no-cache"), (ETAG, &*tag)];
        if has(headers, &tag) {
            return (StatusCode::NOT_MODIFIED, head).into_response();
        }
        (head, [(CONTENT_TYPE, media_type)], Body::from(content)).into_response()
    }

    fn read(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        match self {
            Self::Embedded => {
                let known = FILES.iter().find(|(known, _)| *known == name);
                known.map(|(_, content)| Cow::Borrowed(*content))
            }
            Self::Folder(folder) => fs::read(folder.join(name)).ok().map(Cow::Owned),
        }
    }
}

/// The media type of a file, if it is one of the page: a plain name, so that no
/// path leads out of the folder, with an ending that the page uses.
fn media_type(name: &str) -> Option<&'static str> {
    let (stem, ending) = name.rsplit_once('.')?;
    let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    if stem.is_empty() || !stem.bytes().all(plain) {
        return None;
    }
    match ending {
        "html" => Some("text/html; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}

/// A tag that differs when the content does.
fn tag(content: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

/// Whether the browser's copy is this one (RFC 9110 §13.1.2).
fn has(headers: &HeaderMap, tag: &str) -> bool {
    let tags = headers.get_all(IF_NONE_MATCH).iter();
    tags.filter_map(|tags| tags.to_str().ok())
        .flat_map(|tags| tags.split(','))
        .map(str::trim)
        .any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("assets")
    }

    fn response(assets: &Assets, name: &str, known: &str) -> Response {
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, known.parse().expect("a value"));
        assets.respond(name, &headers)
    }

    #[test]
    fn every_file_of_the_folder_is_in_the_binary() {
        let entries = fs::read_dir(folder()).expect("the folder");
        let mut names: Vec<_> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("UTF-8")
            })
            .collect();
        names.sort_unstable();

        let embedded: Vec<_> = FILES.iter().map(|(name, _)| *name).collect();

        assert_eq!(embedded, names);
    }

    #[test]
    fn the_binary_and_the_folder_respond_alike() {
        for (name, content) in FILES {
            let (binary, folder) = (Assets::Embedded, Assets::Folder(folder()));
            let [one, other] = [binary, folder].map(|assets| response(&assets, name, "\"old\""));

            assert_eq!(one.status(), StatusCode::OK, "{name}");
            assert_eq!(one.headers(), other.headers(), "{name}");
            assert_eq!(one.headers()[ETAG], tag(content), "{name}");
        }
    }

    #[test]
    fn who_has_a_file_does_not_get_it_again() {
        let (name, content) = FILES[0];
        let tag = tag(content);
        for known in [
            tag.clone(),
            format!("W/{tag}"),
            format!("\"x\", {tag}"),
            "*".to_owned(),
        ] {
            let response = response(&Assets::Embedded, name, &known);

            assert_eq!(response.status(), StatusCode::NOT_MODIFIED, "{known}");
            assert_eq!(response.headers()[ETAG], tag);
        }
    }

    #[test]
    fn no_path_leads_out_of_the_folder() {
        for name in [
            "../Cargo.toml",
            "..",
            ".",
            "",
            "/etc/passwd",
            "a/b.js",
            "a\\b.js",
            ".js",
            "x.toml",
            "index.html/",
            "index.html\0",
            "c:index.html",
            "absent.js",
        ] {
            let response = response(&Assets::Folder(folder()), name, "\"old\"");

            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{name:?}");
        }
    }
}
