import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { ChecksModule } from '../checks/checks.module.js';
import { ContinuationsModule } from '../continuations/continuations.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { TurnsModule } from '../turns/turns.module.js';
import { RepairFollower } from './repair-follower.js';
import { RepairsService } from './repairs.service.js';

/** Sends agents what their failed checks said, boundedly; in every role. */
@Module({
  imports: [AttemptsModule, ChecksModule, ContinuationsModule, ProjectsModule, TurnsModule],
  providers: [RepairFollower, RepairsService],
})
export class RepairModule {}
