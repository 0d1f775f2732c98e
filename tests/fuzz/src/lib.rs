//! Shared by the fuzz targets. The client whose transport responds from a script is that of
//! the package `tests`.
//!
//! There is a target for each reader of whole texts that another program wrote: responses,
//! files of a crawl, cards. Each begins with the texts in its folder of `corpus/`.
//! `cargo test` leaves the targets alone; clippy of the workspace compiles them.
//!
//! Without the fuzzer a target is a program that reads files, such as one that failed:
//!
//! ```sh
//! cargo run -p fuzz --bin response -- tests/fuzz/artifacts/response/crash-…
//! ```

#[cfg(fuzzing)]
pub use libfuzzer_sys;

/// Makes a function of some bytes a target. Without the fuzzer the program calls it with
/// the content of each file that is named.
#[macro_export]
macro_rules! target {
    ($function:ident) => {
        #[cfg(fuzzing)]
        $crate::libfuzzer_sys::fuzz_target!(|data: &[u8]| $function(data));

        #[cfg(not(fuzzing))]
        fn main() -> std::io::Result<()> {
            for file in std::env::args_os().skip(1) {
                $function(&std::fs::read(file)?);
            }
            Ok(())
        }
    };
}

/// The first bytes up to a line feed, and the rest.
pub fn line(data: &[u8]) -> (&[u8], &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == b'\n').fuse();
    let mut next = || parts.next().unwrap_or_default();
    (next(), next())
}
