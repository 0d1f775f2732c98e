//! The evidence of a run as the command line prints it, for `lab scenario --live`.

use axum::{
    Json,
    extract::{Query, rejection::QueryRejection},
};
use http::StatusCode;
use render::Options;
use scenario::ScenarioRun;
use serde::{Deserialize, Serialize};

use super::{Record, State};
use crate::{invocation::lab, web::problem::Problem};
/// The widest terminal that evidence is drawn for, in columns.
const WIDEST: usize = 1_000;

/// How a terminal wants the evidence.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct EvidenceStyle {
    pub(crate) json: bool,
    pub(crate) width: usize,
    pub(crate) color: bool,
    pub(crate) ascii: bool,
    pub(crate) exchanges: bool,
}

/// How far a run is, with its evidence once it is over.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Evidence {
    Running,
    /// It could not run, for this reason.
    Failed(String),
    Ended {
        printed: String,
        passed: bool,
        cancelled: bool,
    },
}

pub(super) async fn evidence(
    record: Record,
    query: Result<Query<EvidenceStyle>, QueryRejection>,
) -> Result<Json<Evidence>, Problem> {
    let Query(style) = query.map_err(|error| {
        Problem::new(StatusCode::BAD_REQUEST, "invalid_style", error.body_text())
    })?;
    Ok(Json(match record.state {
        State::Running => Evidence::Running,
        State::Failed => Evidence::Failed(record.error.unwrap_or_default()),
        State::Finished | State::Cancelled => Evidence::Ended {
            printed: style.print(&record),
            passed: record.run(0).is_some_and(ScenarioRun::passed),
            cancelled: record.state == State::Cancelled,
        },
    }))
}

impl EvidenceStyle {
    /// The comparison of two complete runs, or else every run as far as it came.
    fn print(&self, record: &Record) -> String {
        let words = &record.request.scenario.words;
        let options = Options {
            width: self.width.clamp(Options::NARROWEST, WIDEST),
            color: self.color,
            ascii: self.ascii,
            exchanges: self.exchanges,
            lab: lab(),
            ..Options::default()
        };
        let finished = record.state == State::Finished;
        if let Some(both) = record.comparison().filter(|_| finished) {
            return if self.json {
                render::json(&both)
            } else {
                scenario::comparison(words, &both, None, &options)
            };
        }
        let runs: Vec<_> = record.runs().collect();
        match (self.json, runs.as_slice()) {
            (true, [run]) => render::json(run),
            (true, runs) => render::json(&runs),
            (false, runs) => {
                let texts = runs
                    .iter()
                    .map(|run| scenario::text(words, run, None, &options));
                texts.collect::<Vec<_>>().join("\n")
            }
        }
    }
}
