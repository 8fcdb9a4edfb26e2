import { CreateProjects1763700100000 } from './1763700100000-create-projects.js';
import { CreateTasks1763700200000 } from './1763700200000-create-tasks.js';
import { CreateAttempts1763700300000 } from './1763700300000-create-attempts.js';
import { CreateExecutions1763700400000 } from './1763700400000-create-executions.js';
import { CreateDeliveries1763700500000 } from './1763700500000-create-deliveries.js';
import { CreateCluster1763700600000 } from './1763700600000-create-cluster.js';
import { CreateAccess1763700700000 } from './1763700700000-create-access.js';
import { CountStoredBytes1763700800000 } from './1763700800000-count-stored-bytes.js';
import { RememberWebhooks1763700920000 } from './1763700920000-remember-webhooks.js';
import { KeepProjectSecrets1763700930000 } from './1763700930000-keep-project-secrets.js';
import { WallNetworks1763701000000 } from './1763701000000-wall-networks.js';
import { TellDeliveryStates1763701100000 } from './1763701100000-tell-delivery-states.js';
import { QueueMessages1763701200000 } from './1763701200000-queue-messages.js';
import { CountChangedFiles1763701300000 } from './1763701300000-count-changed-files.js';
import { ResolveUpdates1763701500000 } from './1763701500000-resolve-updates.js';
import { SearchTasks1763701600000 } from './1763701600000-search-tasks.js';
import { SignInByProvider1763701700000 } from './1763701700000-sign-in-by-provider.js';
import { PoolRunners1763701810000 } from './1763701810000-pool-runners.js';
import { LetGroupsBeMembers1763701820000 } from './1763701820000-let-groups-be-members.js';
import { KeepReviewComments1763701830000 } from './1763701830000-keep-review-comments.js';
import { RememberReviews1763701831000 } from './1763701831000-remember-reviews.js';
import { FindByTerms1763701840000 } from './1763701840000-find-by-terms.js';
import { NameQueuedMessages1763701850000 } from './1763701850000-name-queued-messages.js';
import { KeepDeletedTasks1763701851000 } from './1763701851000-keep-deleted-tasks.js';
import { ApproveAlways1763701852000 } from './1763701852000-approve-always.js';
import { ArchiveTasks1763701870000 } from './1763701870000-archive-tasks.js';
import { FindComments1763701870100 } from './1763701870100-find-comments.js';
import { WatchTasks1763701870200 } from './1763701870200-watch-tasks.js';
import { FindDeletedTasks1763701870300 } from './1763701870300-find-deleted-tasks.js';
import { ImportRecords1763701895000 } from './1763701895000-import-records.js';
import { WalkBySteps1763701900000 } from './1763701900000-walk-by-steps.js';
import { KnowConflicts1763701910000 } from './1763701910000-know-conflicts.js';
import { NoteExecutorsTogether1763701920000 } from './1763701920000-note-executors-together.js';
import { VerifyWork1763701925000 } from './1763701925000-verify-work.js';
import { CheckWork1763701930000 } from './1763701930000-check-work.js';
import { GoOnByItself1763701940000 } from './1763701940000-go-on-by-itself.js';
import { ReviewByAgents1763701950000 } from './1763701950000-review-by-agents.js';
import { CheckMerges1763701960000 } from './1763701960000-check-merges.js';

/** Every migration in order. Landed ones are never edited: a change is a further one. */
export const migrations = [
  CreateProjects1763700100000,
  CreateTasks1763700200000,
  CreateAttempts1763700300000,
  CreateExecutions1763700400000,
  CreateDeliveries1763700500000,
  CreateCluster1763700600000,
  CreateAccess1763700700000,
  CountStoredBytes1763700800000,
  RememberWebhooks1763700920000,
  KeepProjectSecrets1763700930000,
  WallNetworks1763701000000,
  TellDeliveryStates1763701100000,
  QueueMessages1763701200000,
  CountChangedFiles1763701300000,
  ResolveUpdates1763701500000,
  SearchTasks1763701600000,
  SignInByProvider1763701700000,
  PoolRunners1763701810000,
  LetGroupsBeMembers1763701820000,
  KeepReviewComments1763701830000,
  RememberReviews1763701831000,
  FindByTerms1763701840000,
  NameQueuedMessages1763701850000,
  KeepDeletedTasks1763701851000,
  ApproveAlways1763701852000,
  ArchiveTasks1763701870000,
  FindComments1763701870100,
  WatchTasks1763701870200,
  FindDeletedTasks1763701870300,
  ImportRecords1763701895000,
  WalkBySteps1763701900000,
  KnowConflicts1763701910000,
  NoteExecutorsTogether1763701920000,
  VerifyWork1763701925000,
  CheckWork1763701930000,
  GoOnByItself1763701940000,
  ReviewByAgents1763701950000,
  CheckMerges1763701960000,
];
