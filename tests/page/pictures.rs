//! The pictures of the README and of the course.

use std::{env, fs, path::Path};

use base64::{Engine, prelude::BASE64_STANDARD};

use crate::stage::{Browser, Lab, PROJECTOR};

/// The maximum size of a picture in the repository.
const MOST: usize = 80 * 1024;

/// Takes the pictures. With `LAB_PICTURES` set, writes them into `lab/docs`.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_pictures_of_the_documents_can_be_taken() {
    let lab = Lab::start();
    let browser = Browser::open(PROJECTOR).await;
    for (name, path, scheme) in [
        ("page-flaky", "flaky?pace=virtual&seed=1", "dark"),
        (
            "page-compare",
            "lost-response?client=compare&pace=virtual&seed=1",
            "light",
        ),
    ] {
        browser.in_scheme(scheme).await;
        browser.show(&lab, &format!("/scenarios/{path}")).await;

        // A fixed seed in virtual time, so that a picture changes only with the page.
        browser.submit("#run").await;
        let picture = BASE64_STANDARD
            .decode(browser.picture().await)
            .expect("base64");

        assert!(picture.len() < MOST, "{name} has {} bytes", picture.len());
        if env::var_os("LAB_PICTURES").is_some() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/docs");
            fs::create_dir_all(&folder).expect("the folder");
            fs::write(folder.join(format!("{name}.webp")), picture).expect("a file");
        }
    }
}
