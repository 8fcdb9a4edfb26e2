import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';

/** Probes and metrics, which every role serves. */
@Module({ controllers: [HealthController], providers: [Readiness] })
export class HealthModule {}
