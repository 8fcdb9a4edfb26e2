import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { TextField } from '../platform/fields/fields.js';
import { processMetrics } from '../platform/telemetry/metrics.js';
import { MetricsPage } from '../platform/telemetry/metrics-page.js';
import { Readiness } from './readiness.js';

export class ProbeOutput {
  @TextField('ok, or what is missing.', { example: 'ok' }) status!: string;
}

/** Probes of the platform; they need no token. */
@ApiTags('probes')
@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly page: MetricsPage,
  ) {}

  @Get('health/live')
  @ApiOperation({ summary: 'Liveness: the process responds.', description: 'It looks at nothing else.' })
  @ApiResponse({ status: 200, type: ProbeOutput, description: 'Alive.' })
  checkLiveness(): ProbeOutput {
    return { status: 'ok' };
  }

  @Get('health/ready')
  @ApiOperation({
    summary: 'Readiness: the database responds and no migration is missing.',
    description: 'A process that is not ready keeps running, and is to get no requests.',
  })
  @ApiResponse({ status: 200, type: ProbeOutput, description: 'Ready.' })
  @ApiResponse({ status: 503, type: ProbeOutput, description: 'Not ready; see status for the reason.' })
  async checkReadiness(@Res({ passthrough: true }) reply: FastifyReply): Promise<ProbeOutput> {
    const status = await this.readiness.check();
    if (status !== 'ok') void reply.status(503);
    return { status };
  }

  @Get('metrics')
  @Header('content-type', processMetrics.contentType)
  @ApiOperation({
    summary: 'Metrics in the Prometheus text format.',
    description: 'Those of this process, and those of the database that every process looks up.',
  })
  @ApiResponse({ status: 200, description: 'Metrics.', content: { 'text/plain': { schema: { type: 'string' } } } })
  readMetrics(): Promise<string> {
    return this.page.render();
  }
}
