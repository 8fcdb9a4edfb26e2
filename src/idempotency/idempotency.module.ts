import { Module } from '@nestjs/common';
import { IdempotencyController } from './idempotency.controller.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { IdempotencyService } from './idempotency.service.js';

@Module({
  controllers: [IdempotencyController],
  providers: [IdempotencyRepository, IdempotencyService],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
