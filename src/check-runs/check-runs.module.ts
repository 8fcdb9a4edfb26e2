import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { ChecksModule } from '../checks/checks.module.js';
import { AttemptChecksController } from './attempt-checks.controller.js';
import { ViewChecksService } from './view-checks.service.js';

/** Runs the checks of attempts, and shows them. */
@Module({
  imports: [AttemptsModule, ChecksModule],
  controllers: [AttemptChecksController],
  providers: [ViewChecksService],
  exports: [ViewChecksService],
})
export class CheckRunsModule {}
