//! Cases that are open to any caller of their URLs, without a process.

use host::{FailureWatch, HostFailure, RunningService, StopError};
use wire::{WireRecord, quoted};

use crate::{
    Card, CaseGrade, ServiceError, Task, TaskGrade,
    draw::Draw,
    service::{CaseService, start_open},
};

/// Tasks whose cases are served until they are stopped. A client of any kind calls the
/// URLs; what came so far can be judged at any time, but for goals and for rules about
/// the end of a process.
pub struct OpenCases {
    seed: u64,
    tasks: Vec<(&'static Task, Vec<CaseService>)>,
    /// The listeners that they share.
    shared: Vec<RunningService>,
    failures: FailureWatch,
}

/// A case that is open.
#[derive(Clone, Copy, Debug)]
pub struct OpenCase<'a> {
    /// The task that it is a case of.
    pub task: &'static Task,
    /// Its number among the cases of its task, from 0.
    pub number: usize,
    /// The behaviour of the service in it, in words.
    pub name: &'static str,
    /// The URL to call.
    pub url: &'a str,
    /// The token to be sent along, if the task has one.
    pub token: Option<&'a str>,
}

impl OpenCase<'_> {
    /// A call of it as a command for a terminal.
    #[must_use]
    pub fn curl(&self) -> String {
        let mut words = vec!["curl -i".to_owned()];
        let token = self
            .token
            .map(|token| format!("-H 'Authorization: Bearer {token}'"));
        words.extend(token);
        let body = self.task.words.body;
        words.extend(body.map(|body| format!("-H 'Content-Type: application/json' -d '{body}'")));
        words.push(quoted(self.url));
        words.join(" ")
    }
}

impl OpenCases {
    /// Starts the services of all cases of these tasks.
    ///
    /// # Errors
    ///
    /// [`ServiceError`] if one of them could not be started; then none is left.
    pub fn start(
        tasks: impl IntoIterator<Item = &'static Task>,
        seed: u64,
    ) -> Result<Self, ServiceError> {
        let failures = FailureWatch::start();
        let tasks: Vec<_> = tasks.into_iter().collect();
        let cases = tasks.iter().flat_map(|task| {
            let cases = task.cases(seed).into_iter().enumerate();
            cases.map(|(number, case)| (*task, case, Draw::new(seed, task.words.name, number)))
        });
        let (services, shared) = start_open(cases, seed)?;
        let mut services = services.into_iter();
        let of_a_task = |task: &'static Task| {
            let services = services.by_ref().take(task.cases(seed).len());
            (task, services.collect())
        };
        Ok(Self {
            seed,
            tasks: tasks.into_iter().map(of_a_task).collect(),
            shared,
            failures,
        })
    }

    /// The source of URLs, ids and cursors.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Every case, in the order of the course.
    pub fn cases(&self) -> impl Iterator<Item = OpenCase<'_>> {
        self.tasks.iter().flat_map(|(task, cases)| {
            cases.iter().enumerate().map(|(number, case)| OpenCase {
                task,
                number,
                name: case.served.case.name,
                url: &case.context.url,
                token: case.context.token.as_deref(),
            })
        })
    }

    /// Checks that the lab itself has not failed since the start. If it has, the requests so far
    /// say nothing about a client.
    ///
    /// # Errors
    ///
    /// [`HostFailure`].
    pub fn check(&self) -> Result<(), HostFailure> {
        self.failures.check()
    }

    /// The state of each task so far.
    #[must_use]
    pub fn grades(&self) -> Vec<TaskGrade> {
        let seen: Vec<_> = self.shared.iter().map(RunningService::ledger).collect();
        let tasks = self.tasks.iter();
        let mut card = Card::new(Vec::new(), self.seed, wire::GENERATOR);
        card.add(tasks.map(|(task, cases)| grade(task, cases, &seen)));
        card.tasks
    }

    /// Stops all services: what became of each task.
    ///
    /// # Errors
    ///
    /// [`StopError`] if one of them left something behind.
    pub async fn stop(self) -> Result<Vec<TaskGrade>, StopError> {
        let grades = self.grades();
        for case in self.tasks.into_iter().flat_map(|(_, cases)| cases) {
            case.stop().await?;
        }
        for listener in self.shared {
            listener.stop().await?;
        }
        Ok(grades)
    }
}

impl std::fmt::Debug for OpenCases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenCases")
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

fn grade(task: &'static Task, cases: &[CaseService], seen: &[WireRecord]) -> TaskGrade {
    let recorded = cases.iter().map(|case| {
        let (goal, wire) = case.record(seen);
        CaseGrade::new(case.served.case.name, &goal, None, wire)
    });
    TaskGrade::new(task.words.name, task.kind, task.rules(), recorded.collect())
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;
    use crate::find;

    fn client() -> reqwest::Client {
        // Another test may have been quicker.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().tls_certs_only([]);
        client.build().expect("a client")
    }

    async fn ask(client: &reqwest::Client, url: &str) -> u16 {
        let response = client.get(url).send().await.expect("a response");
        response.status().as_u16()
    }

    #[tokio::test]
    async fn a_token_is_asked_for_where_a_task_has_one() {
        let cases = OpenCases::start([find("read-all").expect("a task")], 7).expect("services");
        let case = cases.cases().next().expect("a case");
        let token = case.token.expect("a token");
        let client = client();

        let mut statuses = Vec::new();
        for bearer in [
            None,
            Some("Bearer x".to_owned()),
            Some(format!("bearer {token}")),
        ] {
            let request = client.get(case.url);
            let request = match bearer {
                Some(bearer) => request.header("authorization", bearer),
                None => request,
            };
            statuses.push(request.send().await.expect("a response").status().as_u16());
        }

        assert_eq!(statuses, [401, 401, 200]);
    }

    #[tokio::test]
    async fn a_call_brings_the_token_and_a_body_where_the_task_wants_them() {
        let cases = |task| OpenCases::start([find(task).expect("a task")], 7).expect("services");
        let curl = |cases: &OpenCases| {
            let case = cases.cases().next().expect("a case");
            let curl = case.curl().replace(case.url, "URL");
            curl.replace(case.token.unwrap_or("none"), "TOKEN")
        };

        assert_eq!(curl(&cases("flaky")), "curl -i URL");
        let token = "curl -i -H 'Authorization: Bearer TOKEN' URL";
        assert_eq!(curl(&cases("read-all")), token);
        let body = r#"curl -i -H 'Content-Type: application/json' -d '{"task": "resize"}' URL"#;
        assert_eq!(curl(&cases("create")), body);
    }

    #[tokio::test]
    async fn cases_share_listeners_and_nothing_else() {
        let tasks = ["flaky", "no-body"].map(|task| find(task).expect("a task"));
        let cases = OpenCases::start(tasks, 7).expect("services");
        let urls: Vec<_> = cases.cases().map(|case| case.url.to_owned()).collect();
        let (address, _) = urls[0]["http://".len()..].split_once('/').expect("a path");
        let silent = TcpStream::connect(address).expect("it listens");

        for _ in 0..2 {
            ask(&client(), &urls[0]).await;
        }

        let recorded: Vec<_> = cases
            .grades()
            .into_iter()
            .flat_map(|grade| grade.cases)
            .collect();
        let seen = recorded
            .iter()
            .map(|case| (case.wire.total, case.wire.connections.len()));
        let mut expected = vec![(0, 0); urls.len()];
        expected[0] = (2, 2);
        assert_eq!(seen.collect::<Vec<_>>(), expected);
        assert_eq!(cases.shared.len(), 2);
        drop(silent);
    }
}
