import { CreateBoard1763700000000 } from './1763700000000-create-board.js';
import { AddWorkersAndAudit1763800000000 } from './1763800000000-add-workers-and-audit.js';
import { AddApprovals1763900000000 } from './1763900000000-add-approvals.js';
import { AddRunTokensAndAutoCommit1764000000000 } from './1764000000000-add-run-tokens-and-auto-commit.js';
import { PageTasksByTheirKey1764100000000 } from './1764100000000-page-tasks-by-their-key.js';
import { RecordWhoQueued1764200000000 } from './1764200000000-record-who-queued.js';
import { CountTasks1764300000000 } from './1764300000000-count-tasks.js';
import { KeepThoughtHeads1764500000000 } from './1764500000000-keep-thought-heads.js';
import { ShareRunnersFairly1764600000000 } from './1764600000000-share-runners-fairly.js';
import { PruneAudit1764600100000 } from './1764600100000-prune-audit.js';
import { RecordWhoStarted1764600200000 } from './1764600200000-record-who-started.js';
import { LimitAgents1764700000000 } from './1764700000000-limit-agents.js';
import { NarrowAccess1764800000000 } from './1764800000000-narrow-access.js';
import { AddDeliveries1765000000000 } from './1765000000000-add-deliveries.js';
import { OneRuleOfMembership1766000000000 } from './1766000000000-one-rule-of-membership.js';
import { AddPullRequests1766200000000 } from './1766200000000-add-pull-requests.js';
import { RegisterRunners1766300000000 } from './1766300000000-register-runners.js';
import { QueueTurnsByHome1766300100000 } from './1766300100000-queue-turns-by-home.js';
import { NameWhatServersMustKnow1766300200000 } from './1766300200000-name-what-servers-must-know.js';
import { SaveWorkspaces1766400000000 } from './1766400000000-save-workspaces.js';
import { AddEvents1766600000000 } from './1766600000000-add-events.js';
import { AddUsage1766600100000 } from './1766600100000-add-usage.js';
import { AddPageSessions1766700000000 } from './1766700000000-add-page-sessions.js';
import { CountStoredBytes1766800000000 } from './1766800000000-count-stored-bytes.js';
import { ApproveDeliveries1767000000000 } from './1767000000000-approve-deliveries.js';
import { NumberEventsForEver1767300000000 } from './1767300000000-number-events-for-ever.js';
import { CountStoredBytesByStatement1767310000000 } from './1767310000000-count-stored-bytes-by-statement.js';
import { KeepClonePasswords1767500000000 } from './1767500000000-keep-clone-passwords.js';
import { SaveWorkspacesInRemotes1767500100000 } from './1767500100000-save-workspaces-in-remotes.js';
import { KeepAgentSessions1767500200000 } from './1767500200000-keep-agent-sessions.js';
import { FindWhatWaits1767700000000 } from './1767700000000-find-what-waits.js';
import { TellLimitsOfRunners1767800000000 } from './1767800000000-tell-limits-of-runners.js';
import { FindUsageOfTasks1767900000000 } from './1767900000000-find-usage-of-tasks.js';

/** Every migration in order. Landed ones are never edited. */
export const migrations = [
  CreateBoard1763700000000,
  AddWorkersAndAudit1763800000000,
  AddApprovals1763900000000,
  AddRunTokensAndAutoCommit1764000000000,
  PageTasksByTheirKey1764100000000,
  RecordWhoQueued1764200000000,
  CountTasks1764300000000,
  KeepThoughtHeads1764500000000,
  ShareRunnersFairly1764600000000,
  PruneAudit1764600100000,
  RecordWhoStarted1764600200000,
  LimitAgents1764700000000,
  NarrowAccess1764800000000,
  AddDeliveries1765000000000,
  OneRuleOfMembership1766000000000,
  AddPullRequests1766200000000,
  RegisterRunners1766300000000,
  QueueTurnsByHome1766300100000,
  NameWhatServersMustKnow1766300200000,
  SaveWorkspaces1766400000000,
  AddEvents1766600000000,
  AddUsage1766600100000,
  AddPageSessions1766700000000,
  CountStoredBytes1766800000000,
  ApproveDeliveries1767000000000,
  NumberEventsForEver1767300000000,
  CountStoredBytesByStatement1767310000000,
  KeepClonePasswords1767500000000,
  SaveWorkspacesInRemotes1767500100000,
  KeepAgentSessions1767500200000,
  FindWhatWaits1767700000000,
  TellLimitsOfRunners1767800000000,
  FindUsageOfTasks1767900000000,
];
