import { Controller, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { NDJSON } from '../platform/access/line-body.js';
import { AuditOutput, FollowAuditInput, ListAuditInput } from './audit.dto.js';
import { AuditService } from './audit.service.js';

@ApiTags('audit')
@Controller('api')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Endpoint('GET audit', {
    summary: 'List who changed what; with Accept: application/x-ndjson all of it, an entry a line.',
    scope: 'admin',
    output: AuditOutput,
    errors: ['query_too_broad'],
  })
  listAudit(
    @Input() input: ListAuditInput,
    @Caller() caller: Principal,
    @Req() { headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AuditOutput> | StreamableFile {
    void reply.header('vary', 'accept');
    if (!headers.accept?.includes(NDJSON)) return this.audit.list(input, caller);
    return new StreamableFile(Readable.from(linesOf(this.audit.export(input, caller))), { type: NDJSON });
  }

  @Endpoint('GET audit.ndjson', {
    summary: 'Read on in the audit log, oldest first, an entry a line, up to its end; the last number resumes it.',
    scope: 'admin',
    output: 'lines',
  })
  followAudit(@Input() input: FollowAuditInput, @Caller() caller: Principal): StreamableFile {
    return new StreamableFile(Readable.from(linesOf(this.audit.follow(input, caller))), { type: NDJSON });
  }
}

/** One chunk per page, so that a long export is not sent line by line. */
async function* linesOf(pages: AsyncIterable<object[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}
