//! Plays a task.

use std::io;

use evidence::grade::{RecordedPlay, TaskGrade};
use futures_util::future::try_join_all;

use super::{
    command::ClientCommand,
    draw::Draw,
    process::{self, Limits},
    room::Room,
    service::PlayService,
    task::{Part, Task},
};
use crate::run_error::RunError;

/// Why a task could not be played. It says nothing about the client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GradeError {
    /// The program could not be started.
    #[error("{program} could not be started")]
    Program {
        /// The program, as it was named.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// The service of a play failed.
    #[error(transparent)]
    Service(#[from] RunError),
}

/// Plays a task with a client: its plays side by side, as many at once as there is
/// room.
///
/// Dropped, it leaves no process and no service behind.
///
/// # Errors
///
/// [`GradeError`] if it could not be played at all.
pub async fn play(
    task: &Task,
    command: &ClientCommand,
    seed: u64,
    room: &Room,
) -> Result<TaskGrade, GradeError> {
    let parts = task.parts(seed).into_iter().enumerate();
    let plays = parts.map(async |(number, part)| {
        let _place = room.place(task.is_about_milliseconds()).await;
        play_one(
            task,
            part,
            command,
            Draw::new(seed, task.words.name, number),
        )
        .await
    });
    let plays = try_join_all(plays).await?;
    Ok(TaskGrade::new(task.words.name, task.rules(), plays))
}

async fn play_one(
    task: &Task,
    part: &'static Part,
    command: &ClientCommand,
    draw: Draw,
) -> Result<RecordedPlay, GradeError> {
    let service = PlayService::start(task, part, draw, false)?;
    let ran = process::run(
        command,
        &service.context,
        Limits {
            called: service.called(),
            time: task.words.time,
            flood: service.flood(),
        },
        service.begun,
    );
    let ran = ran.await;
    let (goal, wire) = service.stop().await?;
    let process = ran.map_err(|source| GradeError::Program {
        program: command.program().to_string_lossy().into_owned(),
        source,
    })?;
    Ok(RecordedPlay {
        name: part.name,
        goal,
        process: Some(process),
        wire,
    })
}
