import type { StageTask } from './stage-board.repository.js';
import { toThoughtOutput } from '../../thoughts/thought.dto.js';
import type { ThoughtRecord } from '../../thoughts/thought-record.entity.js';
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

export const toColibriTasks = ({ rows, total }: { rows: StageTask[]; total: number }) => ({
  tasks: rows.map(toColibriTask),
  total_count: total,
});

export const toColibriThoughts = ({ records, total_count }: { records: ThoughtRecord[]; total_count: number }) => ({
  records: records.map(toThoughtOutput),
  total_count,
});
