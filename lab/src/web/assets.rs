//! The files of the web UI. They are part of the binary, so that it needs no other file
//! and always matches its server.

use std::{
    borrow::Cow,
    fs::File,
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, ErrorKind, Read},
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
use include_dir::{Dir, include_dir};

use super::problem::Problem;
use crate::scenario;

/// The HTML page, which is the same for every path.
pub(crate) const INDEX: &str = "index.html";

/// The style sheet that reports and the web UI share.
const STYLE_SHEET: &str = "style.css";

/// The places in the HTML page of the course and of the patterns.
const COURSE: &str = "<!-- course -->";
const PATTERNS: &str = "<!-- patterns -->";

/// The largest file that is read from a folder, in bytes: many times the size of the
/// largest file of the web UI.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Every file of the web UI.
static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets");

/// The source of the files.
#[derive(Clone, Debug)]
pub(crate) enum Assets {
    /// The binary.
    Embedded,
    /// A folder that is read again for each request, for working on the web UI.
    Folder(PathBuf),
}

impl Assets {
    /// The files of a folder.
    ///
    /// # Errors
    ///
    /// The operating system's error if the folder lacks the HTML page. Without this check
    /// a mistyped folder would only show as missing files.
    pub(crate) fn of_folder(folder: &Path) -> io::Result<Self> {
        let folder = folder.canonicalize()?;
        read(&folder, INDEX)?;
        Ok(Self::Folder(folder))
    }

    /// A file as a response, or 304 if the browser has this version.
    pub(crate) fn respond(&self, name: &str, headers: &HeaderMap) -> Response {
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

    /// The content of a file. The style sheet is that of reports, too, and the page lists
    /// the course and holds the patterns of the pictures.
    fn read(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        if name == STYLE_SHEET {
            return Some(Cow::Borrowed(render::page::STYLE.as_bytes()));
        }
        let content = match self {
            Self::Embedded => Cow::Borrowed(FILES.get_file(name)?.contents()),
            Self::Folder(folder) => Cow::Owned(read(folder, name).ok()?),
        };
        if name != INDEX {
            return Some(content);
        }
        let page = String::from_utf8_lossy(&content);
        let page = page
            .replace(COURSE, &scenario::web::listed().into_string())
            .replace(PATTERNS, &render::page::patterns().into_string());
        Some(Cow::Owned(page.into_bytes()))
    }
}

/// Reads a file of a folder. Links that lead out of the folder, devices and pipes are
/// not accepted.
fn read(folder: &Path, name: &str) -> io::Result<Vec<u8>> {
    let path = folder.join(name).canonicalize()?;
    if !path.starts_with(folder) || !path.metadata()?.is_file() {
        let reason = format!("{name} is not a file of the folder");
        return Err(io::Error::new(ErrorKind::InvalidInput, reason));
    }
    let mut content = Vec::new();
    let length = File::open(path)?
        .take(LARGEST + 1)
        .read_to_end(&mut content)?;
    if length as u64 > LARGEST {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(content)
}

/// The media type of a file of the web UI. A valid name has a known extension and no path
/// separators, so it cannot lead out of the folder.
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

/// An entity tag, which changes with the content.
fn tag(content: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

/// Whether the browser's copy is current (RFC 9110 §13.1.2).
fn has(headers: &HeaderMap, tag: &str) -> bool {
    let tags = headers.get_all(IF_NONE_MATCH).iter();
    tags.filter_map(|tags| tags.to_str().ok())
        .flat_map(|tags| tags.split(','))
        .map(str::trim)
        .any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

#[cfg(test)]
mod tests {
    use std::fs;

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
    fn the_binary_and_the_folder_respond_alike() {
        for file in FILES.files() {
            let name = file.path().to_str().expect("UTF-8");
            let (binary, folder) = (Assets::Embedded, Assets::Folder(folder()));
            let [one, other] = [binary, folder].map(|assets| response(&assets, name, "\"old\""));

            assert_eq!(one.status(), StatusCode::OK, "{name}");
            assert_eq!(one.headers(), other.headers(), "{name}");
        }
    }

    #[test]
    fn a_cached_file_is_not_sent_again() {
        let sent = response(&Assets::Embedded, INDEX, "\"old\"");
        let tag = sent.headers()[ETAG].to_str().expect("text").to_owned();
        for known in [
            tag.clone(),
            format!("W/{tag}"),
            format!("\"x\", {tag}"),
            "*".to_owned(),
        ] {
            let response = response(&Assets::Embedded, INDEX, &known);

            assert_eq!(response.status(), StatusCode::NOT_MODIFIED, "{known}");
            assert_eq!(response.headers()[ETAG], tag);
        }
    }

    #[test]
    fn paths_cannot_leave_the_folder() {
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

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_folder_devices_and_pipes_are_not_read() {
        use std::{os::unix::fs::symlink, process::Command, sync::mpsc, thread, time::Duration};

        let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let [inside, outside] = folders.each_ref().map(tempfile::TempDir::path);
        fs::write(inside.join(INDEX), "the page").expect("a file");
        fs::write(outside.join("secret.js"), "a secret").expect("a file");
        let large = File::create(inside.join("large.js")).expect("a file");
        large.set_len(LARGEST + 1).expect("room");
        symlink(outside.join("secret.js"), inside.join("out.js")).expect("a link");
        symlink(inside.join(INDEX), inside.join("in.js")).expect("a link");
        symlink("/dev/zero", inside.join("zero.js")).expect("a link");
        let fifo = Command::new("mkfifo").arg(inside.join("fifo.js")).status();
        assert!(fifo.expect("mkfifo runs").success());
        let assets = Assets::of_folder(inside).expect("the page is in it");
        let (send, found) = mpsc::channel();

        // In a thread, because a read that blocks would block the test.
        thread::spawn(move || {
            for name in [INDEX, "in.js", "out.js", "zero.js", "fifo.js", "large.js"] {
                let status = response(&assets, name, "\"old\"").status().as_u16();
                send.send(status).expect("the test waits");
            }
        });
        let statuses = (0..6).map_while(|_| found.recv_timeout(Duration::from_secs(20)).ok());

        assert_eq!(statuses.collect::<Vec<_>>(), [200, 200, 404, 404, 404, 404]);
    }
}
