//! Runs tasks.

use std::time::Duration;

use futures_util::future::try_join_all;
use judge::rules::Rule;
use process::{ClientCommand, Grading, ProcessLimits, RunError};
use wire::LINGER;

use crate::{
    CaseGrade, ProcessSlots, ServiceError, Task, TaskGrade, draw::Draw, service::CaseService,
    task::Case,
};

/// How long a client has for its first request.
const START: Duration = Duration::from_secs(20);

/// Why a task could not be run. It says nothing about the client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GradeError {
    /// The program could not be started, or not be watched.
    #[error("cannot run {program}")]
    Program {
        /// The program, as it was named.
        program: String,
        /// Which of the two, and the error of the system.
        source: RunError,
    },
    /// The service of a case failed.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

/// What happens to a case while its task is run.
#[derive(Clone, Copy, Debug)]
pub enum CaseEvent<'a> {
    /// It has its slot, and its client starts.
    Started,
    /// It is over, with this result.
    Ended(&'a CaseGrade),
}

/// Runs several tasks with a client side by side. The slots go to the cases in the order of the
/// tasks. `on_case` is told of each case with the number of its task, and `on_task` gets the
/// result of each task as soon as there is one.
///
/// Dropped, it leaves no process and no service behind.
///
/// # Errors
///
/// [`GradeError`] if one of them could not be run at all. The others are dropped.
pub async fn run_tasks(
    tasks: impl IntoIterator<Item = (usize, &Task)>,
    command: &ClientCommand,
    seed: u64,
    slots: &ProcessSlots,
    on_case: impl Fn(usize, CaseEvent<'_>),
    on_task: impl Fn(usize, TaskGrade),
) -> Result<(), GradeError> {
    let tasks = tasks.into_iter().map(async |(number, task)| {
        let on_case = |event: CaseEvent<'_>| on_case(number, event);
        let grade = run_task(task, command, seed, slots, on_case).await?;
        on_task(number, grade);
        Ok(())
    });
    try_join_all(tasks).await.map(drop)
}

/// Runs a task with a client: its cases side by side, as many at once as there is
/// room. `on_case` is told of each.
///
/// Dropped, it leaves no process and no service behind.
///
/// # Errors
///
/// [`GradeError`] if it could not be run at all.
pub async fn run_task(
    task: &Task,
    command: &ClientCommand,
    seed: u64,
    slots: &ProcessSlots,
    on_case: impl Fn(CaseEvent<'_>),
) -> Result<TaskGrade, GradeError> {
    let cases = task.cases(seed).into_iter().enumerate();
    let cases = cases.map(async |(number, case)| {
        let _slot = slots.acquire(task.is_about_milliseconds()).await;
        on_case(CaseEvent::Started);
        let draw = Draw::new(seed, task.words.name, number);
        let recorded = run_case(task, case, command, draw).await?;
        on_case(CaseEvent::Ended(&recorded));
        Ok::<_, GradeError>(recorded)
    });
    let cases = try_join_all(cases).await?;
    Ok(TaskGrade::new(
        task.words.name,
        task.kind,
        task.rules(),
        cases,
    ))
}

async fn run_case(
    task: &Task,
    case: &'static Case,
    command: &ClientCommand,
    draw: Draw,
) -> Result<CaseGrade, GradeError> {
    let failures = host::FailureWatch::start();
    let service = CaseService::start(task, case, draw)?;
    let limits = ProcessLimits {
        time: task.words.time,
        flood: service.served.flood.notified(),
        farewell: Duration::ZERO,
    };
    let grading = Grading {
        called: service.served.called.notified(),
        start: START,
        watches_to_the_end: task.rules().any(Rule::forbids_a_request),
        is_result: |line: &str| service.is_result(line),
        linger: LINGER,
    };
    let delay = service.served.delay.clone();
    let ran = tokio::select! {
        ran = process::run_graded(command, &service.context, limits, grading, service.begun) => ran,
        never = delay.clone().measure() => never,
    };
    let (goal, wire) = service.stop().await.map_err(ServiceError::from)?;
    failures.check().map_err(ServiceError::from)?;
    let mut process = ran.map_err(|source| GradeError::Program {
        program: command.program().to_string_lossy().into_owned(),
        source,
    })?;
    process.lab_delay = delay.largest();
    Ok(CaseGrade::new(case.name, &goal, Some(process), wire))
}
