import type { components } from './generated/api.js';

type Schemas = components['schemas'];

/** A project, and the role that one has in it. */
export type OwnProject = Schemas['ProjectDetailsOutput'];
export type ProjectRole = OwnProject['role'];
export type Scope = Schemas['MeOutput']['scopes'][number];
export type Repo = Schemas['RepoOutput'];
export type Member = Schemas['MemberOutput'];
export type ServiceToken = Schemas['TokenOutput'];
export type AuditEntry = Schemas['AuditRowOutput'];
export type Task = Schemas['TaskOutput'];
export type TaskStatus = Task['status'];
export type AttemptStatus = Schemas['AttemptStatusOutput'];
export type Queued = Schemas['WaitingMessageOutput'];
export type FollowUpBody = Schemas['FollowUpBody'];
export type AttemptState = AttemptStatus['state'];
export type Execution = Schemas['ExecutionOutput'];
export type Usage = Schemas['UsageOutput'];
export type LogEntry = Schemas['LogEntryOutput'];
export type Executor = Schemas['ExecutorOutput'];
export type Approval = Schemas['ApprovalOutput'];
export type Changes = Schemas['ChangesOutput'];
export type Checks = Schemas['VerifiedWorkOutput'];
export type Check = Checks['checks'][number];
export type ChecksState = AttemptStatus['checks_state'];
export type Continuation = Schemas['ContinuationOutput'];
export type CheckDefinition = Schemas['RepoChecksOutput']['checks'][number];
export type Delivery = Schemas['AttemptDeliveryOutput'];
export type RepoDelivery = Schemas['RepoDeliveryOutput'];
export type PullRequest = Schemas['PullRequestOutput'];
export type ErrorEnvelope = Schemas['ErrorEnvelope'];
export type Board = Schemas['BoardOutput'];
export type Card = Board['columns'][number]['cards'][number];
export type Waiting = Schemas['InboxTaskOutput'];
export type Inbox = Schemas['InboxOutput'];
export type Exhausted = Inbox['exhausted'][number];
export type UsageRow = Schemas['UsageRowOutput'];
