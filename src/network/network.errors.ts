import { retryable } from '../platform/errors/error-row.js';

export const networkErrors = {
  network_unavailable: retryable(
    503,
    'A run of this project needs the network "{network}", which cannot be made here: {reason}.',
    'Retry once an operator has set ISOLATION=bubblewrap where runs are executed, or a maintainer has set network to ' +
      'open: PUT /api/projects/{project_id}.',
    'Ask whoever runs the server, or let a maintainer of the project open its network.',
  ),
};
