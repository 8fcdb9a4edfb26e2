import type { StagePage, StageTask } from './stage-board.repository.js';
import { toThoughtOutput } from '../../thoughts/thought.dto.js';
import type { ThoughtPage } from '../../thoughts/thoughts.service.js';
import type { ColibriTask } from './colibri.dto.js';

export const toColibriTask = (task: StageTask): ColibriTask => ({
  id: task.id,
  project_id: task.project_id,
  title: task.title,
  description: task.description,
  status: task.stage,
  priority: task.priority,
  assignee: task.assignee_text ?? task.assignee_handle,
  created_at: task.created_at,
  updated_at: task.updated_at,
  deleted_at: task.deleted_at,
  is_blocked: task.is_blocked,
});

/** A page that its limit or the budget of an answer ended says where the next one begins; the last one is as the
 *  dialect has it. */
export function toColibriTasks({ rows, total, offset }: StagePage) {
  const next = offset + rows.length;
  const has_more = rows.length > 0 && next < total;
  return {
    tasks: rows.map(toColibriTask),
    total_count: total,
    ...(has_more ? { has_more, next_offset: next } : {}),
  };
}

export const toColibriThoughts = ({ records, total_count, has_more, next_cursor }: ThoughtPage) => ({
  records: records.map(toThoughtOutput),
  total_count,
  ...(has_more ? { has_more, next_cursor } : {}),
});
