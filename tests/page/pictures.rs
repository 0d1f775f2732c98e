//! The pictures of the README and of the course.

use std::{env, fs, path::Path};

use base64::{Engine, prelude::BASE64_STANDARD};

use crate::stage::{Browser, Lab, PROJECTOR};

/// The maximum size of a picture in the repository.
const MOST: usize = 84 * 1024;

/// Takes the pictures. With `LAB_PICTURES` set, writes them into `lab/docs`.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_pictures_of_the_documents_can_be_taken() {
    let lab = Lab::start();
    let browser = Browser::open(PROJECTOR).await;
    for (name, scenario, scheme, client) in [
        ("page-flaky", "flaky", "dark", "1"),
        ("page-compare", "lost-response", "light", "3"),
    ] {
        browser.in_scheme(scheme).await;
        browser.show_scenario(&lab, scenario).await;
        browser.press(client).await;
        // A fixed seed in virtual time, so that a picture changes only with the page.
        browser.click("label:has([value=virtual])").await;
        browser.read("one('[name=seed]').value = '1'").await;

        browser.run().await;
        // The course is still scrolling to the selected scenario.
        let bottom = |selector| format!("one('{selector}').getBoundingClientRect().bottom");
        let (chosen, course) = (bottom(".choose[aria-current]"), bottom("#course"));
        browser.until(&format!("{chosen} <= {course}")).await;
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
