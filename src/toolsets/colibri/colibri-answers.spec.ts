import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../platform/errors/app-error.js';
import { errorCatalogue, type ErrorCode } from '../../platform/errors/error-catalogue.js';
import { refusal } from '../../platform/fields/input-errors.js';
import { renderColibriError } from './colibri-answers.js';
import { colibriToolset } from './colibri.toolset.js';

const render = (error: AppError, args: unknown = { id: 'task-7' }, tool = 'task_get') =>
  renderColibriError(error, { tool, arguments: args }, colibriToolset.operationNames);
const inner = (error: object) => ({ isError: false, structured: { ok: true, data: { ok: false, error } } });
const outer = (error: object) => ({ isError: true, structured: { ok: false, error } });

describe('a refusal of the operation', () => {
  it('is data of a call that succeeded: not found', () => {
    const error = new AppError('task_not_found', { task_id: 'task-7' });
    const hint = 'Call task_list with a project_id and use one of its task_id values.';
    expect(render(error)).toEqual(
      inner({ code: 'ERR_NOT_FOUND', message: 'Task not found: task-7', taskId: 'task-7', retryable: false, hint }),
    );
    expect(render(error, { id: 'task-7', patch: {} }, 'task_update')).toEqual(
      inner({
        code: 'ERR_NOT_FOUND',
        message: 'Task not found: task-7 (operation: update)',
        taskId: 'task-7',
        retryable: false,
        hint,
      }),
    );
    expect(render(error, { task_id: 'task-7' }, 'thought_record')).toEqual(
      inner({ code: 'ERR_NOT_FOUND', message: 'Task not found: task-7', taskId: 'task-7', retryable: false, hint }),
    );
  });

  it('is data of a call that succeeded: no thought record', () => {
    expect(
      render(
        new AppError('writeback_required', { task_id: 'task-7' }),
        { id: 'task-7', patch: { status: 'DONE' } },
        'task_update',
      ),
    ).toEqual(
      inner({
        code: 'ERR_WRITEBACK_REQUIRED',
        message: 'Writeback required for task task-7: missing thought_record',
        missing_fields: ['thought_record'],
        taskId: 'task-7',
        retryable: false,
        hint: 'Call thought_record about this task first, then set status DONE again.',
      }),
    );
  });
});

describe('a call that failed', () => {
  it('because of its arguments is INVALID_PARAMS with the issues', () => {
    const issues = [{ field: 'title', message: 'title is required' }];
    expect(render(refusal(issues), {}, 'task_create')).toEqual(
      outer({
        code: 'INVALID_PARAMS',
        message: 'The arguments are not valid: title is required.',
        details: { issues },
        retryable: false,
        hint: 'Correct the fields listed in details.fields, then call again.',
      }),
    );
    expect(render(new AppError('missing_target', { allowed: ['a', 'b'] }))).toMatchObject({
      isError: true,
      structured: { error: { code: 'INVALID_PARAMS', details: { issues: [] } } },
    });
  });

  it('because of anything else is HANDLER_ERROR with the message of the catalogue, and says whether to retry', () => {
    expect(render(new AppError('project_not_found', { project_id: 'no-shop' }))).toEqual(
      outer({
        code: 'HANDLER_ERROR',
        message: 'Project no-shop was not found.',
        retryable: false,
        hint: expect.any(String),
      }),
    );
    expect(render(new AppError('database_unavailable'))).toEqual(
      outer({
        code: 'HANDLER_ERROR',
        message: 'The database does not respond.',
        retryable: true,
        hint: expect.stringContaining('Retry'),
      }),
    );
  });

  it('has one of the four codes of the dialect, whatever it is', () => {
    const codes = Object.keys(errorCatalogue).map((code) => {
      const { isError, structured } = render(new AppError(code as ErrorCode));
      const { error } = (isError ? structured : structured.data) as { error: { code: string } };
      return error.code;
    });
    expect([...new Set(codes)].sort()).toEqual([
      'ERR_NOT_FOUND',
      'ERR_WRITEBACK_REQUIRED',
      'HANDLER_ERROR',
      'INVALID_PARAMS',
    ]);
  });

  it('survives arguments that are none', () => {
    for (const args of [null, 'text', [], { id: 7 }])
      expect(render(new AppError('task_not_found'), args)).toMatchObject({
        structured: { data: { error: { taskId: '' } } },
      });
  });
});
