//! A store of checkpoints with several awaits.

use client::{Checkpoint, CheckpointError, CheckpointStore, MemoryCheckpoints};

use super::drive::give_way;

/// A store that gives way before it saves and after.
#[derive(Clone, Default)]
pub(crate) struct SlowStore(MemoryCheckpoints);

#[async_trait::async_trait]
impl CheckpointStore for SlowStore {
    async fn load(&self) -> Result<Option<Checkpoint>, CheckpointError> {
        give_way(2).await;
        self.0.load().await
    }

    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        give_way(2).await;
        self.0.save(checkpoint).await?;
        give_way(2).await;
        Ok(())
    }
}
