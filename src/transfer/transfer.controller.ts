import { Controller, Req, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { linesOf, NDJSON } from '../platform/access/line-body.js';
import { ExportsService } from './exports.service.js';
import { ImportsService } from './imports.service.js';
import { ExportInput, ImportInput, ImportOutput, ImportTasksInput } from './transfer.dto.js';
import { IMPORT_ERRORS } from './transfer.errors.js';

@ApiTags('transfer')
@Controller('api')
export class TransferController {
  constructor(
    private readonly exports: ExportsService,
    private readonly imports: ImportsService,
  ) {}

  @Endpoint('GET projects/:project_id/export', {
    summary:
      'Export a project with its tasks, thoughts, attempts, messages and comments, a record a line; without logs and ' +
      'secrets.',
    scope: 'read',
    role: 'maintainer',
    output: 'lines',
    errors: ['project_not_found', 'not_a_member', 'forbidden', 'transfers_busy'],
  })
  async exportProject(@Input() input: ExportInput, @Caller() caller: Principal): Promise<StreamableFile> {
    const { slug, lines } = await this.exports.open(input.project_id, caller);
    return new StreamableFile(lines, { type: NDJSON, disposition: `attachment; filename="${slug}.ndjson"` });
  }

  @Endpoint('POST imports', {
    summary: 'Import an export: all of its lines, or none. What was imported before is left as it is.',
    scope: 'write',
    takesLines: true,
    output: ImportOutput,
    errors: [...IMPORT_ERRORS, 'git_failed', 'workspace_unavailable'],
  })
  importAll(
    @Input() input: ImportInput,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
  ): Promise<ImportOutput> {
    return this.imports.importAll(() => linesOf(request), input, caller);
  }

  @Endpoint('POST projects/:project_id/tasks::import', {
    summary: 'Import tasks into a project: the task lines of an export, all of them or none.',
    scope: 'write',
    role: 'maintainer',
    takesLines: true,
    output: ImportOutput,
    errors: [...IMPORT_ERRORS],
  })
  importTasks(
    @Input() input: ImportTasksInput,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
  ): Promise<ImportOutput> {
    return this.imports.importTasks(() => linesOf(request), input, caller);
  }
}
