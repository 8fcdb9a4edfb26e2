import { approvalErrors } from './approvals/approval.errors.js';
import { attemptErrors } from './attempts/attempt.errors.js';
import { checkErrors } from './checks/check.errors.js';
import { commentErrors } from './comments/comment.errors.js';
import { deliveryErrors } from './deliveries/delivery.errors.js';
import { executorErrors } from './executors/executor.errors.js';
import { forgeErrors } from './forges/forge.errors.js';
import { gitErrors } from './git/git.errors.js';
import { idempotencyErrors } from './idempotency/idempotency.errors.js';
import { mcpErrors } from './mcp/mcp.errors.js';
import { errorCatalogue } from './platform/errors/error-catalogue.js';
import { networkErrors } from './network/network.errors.js';
import { projectErrors } from './projects/project.errors.js';
import { pullRequestErrors } from './pull-requests/pull-request.errors.js';
import { taskErrors } from './tasks/task.errors.js';
import { transferErrors } from './transfer/transfer.errors.js';
import { turnErrors } from './turns/turn.errors.js';
import { workErrors } from './work/work.errors.js';
import { workspaceErrors } from './workspaces/workspace.errors.js';

/** What the rooms state, each in a table of its own; an unknown code does not compile. */
const roomErrors = {
  ...mcpErrors,
  ...idempotencyErrors,
  ...gitErrors,
  ...executorErrors,
  ...workspaceErrors,
  ...forgeErrors,
  ...projectErrors,
  ...taskErrors,
  ...attemptErrors,
  ...approvalErrors,
  ...checkErrors,
  ...commentErrors,
  ...networkErrors,
  ...turnErrors,
  ...deliveryErrors,
  ...pullRequestErrors,
  ...workErrors,
  ...transferErrors,
};

declare module './platform/errors/error-catalogue.js' {
  interface ErrorTables {
    rooms: typeof roomErrors;
  }
}

Object.assign(errorCatalogue, roomErrors);
