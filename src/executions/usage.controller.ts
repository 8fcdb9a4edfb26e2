import { Controller, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { ReadUsageInput, ReadUsageOutput } from './usage.dto.js';
import { UsageService } from './usage.service.js';

@ApiTags('usage')
@Controller('api/usage')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Endpoint('GET', {
    summary: 'Sum the tokens and cost that agents report; with Accept: text/csv as a table.',
    scope: 'read',
    output: ReadUsageOutput,
    errors: ['query_too_broad'],
    other: 'csv',
  })
  async readUsage(
    @Input() input: ReadUsageInput,
    @Caller() caller: Principal,
    @Req() { headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReadUsageOutput | string> {
    void reply.header('vary', 'accept');
    if (!headers.accept?.includes('text/csv')) return this.usage.read(input, caller);
    void reply.type('text/csv; charset=utf-8');
    return this.usage.csv(input, caller);
  }
}
