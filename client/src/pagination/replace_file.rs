//! Replacing the content of a file in one step.

use std::{
    fs::{self, File},
    io::{
        self,
        ErrorKind::{InvalidInput, Unsupported},
        Write,
    },
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

/// The maximum number of links that are followed, as on Linux.
const MAX_LINKS: usize = 40;

/// Opens a folder, so that it can be flushed once it has changed. Tests replace it with
/// one that fails to open or to flush.
pub(super) type OpenFolder = fn(&Path) -> io::Result<Flush>;

/// Flushes the changes in a folder to the disk.
pub(super) type Flush = Box<dyn FnOnce() -> io::Result<()>>;

/// Opens a folder of the file system. On Windows, folders cannot be opened and flushed.
pub(super) fn open_folder(folder: &Path) -> io::Result<Flush> {
    if !cfg!(unix) {
        return Ok(Box::new(|| Ok(())));
    }
    let folder = File::open(folder)?;
    Ok(Box::new(move || folder.sync_all()))
}

/// Replaces the content of `path`, or of the file that it links to.
///
/// The content is written to a temporary file in the same folder, flushed to the disk
/// and renamed over the old file. If a step fails, the old content remains.
///
/// Readers see the new content then. The returned function waits until the replacement
/// is on the disk; before that, a power failure could undo it. It returns immediately if
/// the file system cannot flush folders.
pub(super) fn replace(path: &Path, content: &[u8], open_folder: OpenFolder) -> io::Result<Flush> {
    let path = follow_links(path)?;
    // Opened before anything is changed, so that a missing permission is an error
    // before the old content is replaced.
    let flush = open_folder(folder_of(&path))?;

    // Only its owner may read it. Its name is unique, so that no other file is changed,
    // and it is removed if anything fails before the rename.
    let mut new = NamedTempFile::new_in(folder_of(&path))?;
    new.write_all(content)?;
    new.as_file().sync_all()?;
    new.persist(&path).map_err(|error| error.error)?;
    Ok(Box::new(|| match flush() {
        Err(error) if matches!(error.kind(), InvalidInput | Unsupported) => Ok(()),
        flushed => flushed,
    }))
}

/// Resolves the symbolic links of `path`. A rename over a link would replace the link
/// and leave its target unchanged.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                path = folder_of(&path).join(fs::read_link(&path)?);
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(_) | Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its links lead to no file"))
}

/// The folder of a file; for a bare name, the current folder.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_file_name_is_in_the_current_folder() {
        for (path, folder) in [
            ("crawl", "."),
            ("a/crawl", "a"),
            ("/a/b/crawl", "/a/b"),
            ("/crawl", "/"),
        ] {
            assert_eq!(folder_of(Path::new(path)), Path::new(folder), "{path}");
        }
    }

    #[test]
    fn a_name_of_any_length_is_replaced_and_neighbours_with_a_similar_name_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        // The longest that a file system allows.
        let longest = "n".repeat(255);
        for name in ["crawl.new", "crawl.tmp", "crawl~"] {
            fs::write(folder.path().join(name), "theirs").expect("written");
        }

        for name in ["crawl", &longest] {
            let path = folder.path().join(name);
            replace(&path, b"new", open_folder).expect("replaced")().expect("flushed");
        }

        for (name, text) in [
            ("crawl.new", "theirs"),
            ("crawl.tmp", "theirs"),
            ("crawl~", "theirs"),
            ("crawl", "new"),
            (&longest, "new"),
        ] {
            let found = fs::read_to_string(folder.path().join(name));
            assert_eq!(found.expect("a file"), text, "{name}");
        }
        let files = fs::read_dir(folder.path()).expect("readable");
        assert_eq!(files.count(), 5, "no temporary file is left");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_to_a_file_or_to_where_one_will_be() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("deep")).expect("made");
        fs::write(at("deep/file"), "old").expect("written");
        symlink("deep/relative", at("link")).expect("linked");
        symlink("file", at("deep/relative")).expect("linked");
        symlink(at("deep/none yet"), at("dangling")).expect("linked");
        symlink("circle", at("circle")).expect("linked");

        for (link, file) in [
            ("link", "deep/file"),
            ("dangling", "deep/none yet"),
            ("no link", "no link"),
        ] {
            let followed = follow_links(&at(link)).expect("it ends");

            assert_eq!(followed, at(file), "{link}");
        }
        replace(&at("link"), b"new", open_folder).expect("replaced")().expect("flushed");
        assert_eq!(fs::read_to_string(at("deep/file")).expect("a file"), "new");
        assert!(at("link").is_symlink() && at("deep/relative").is_symlink());
        follow_links(&at("circle")).expect_err("it never ends");
        follow_links(&at("deep/file/below")).expect_err("a file is no folder");
    }
}
