import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { DeliveriesModule } from '../deliveries/deliveries.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { ArtifactsController } from './artifacts.controller.js';
import { ArtifactsService } from './artifacts.service.js';
import { DeliveredSpans } from './delivered-spans.js';

/** What attempts have made, to be read before it is delivered and after. */
@Module({
  imports: [AttemptsModule, DeliveriesModule, WorkspacesModule],
  controllers: [ArtifactsController],
  providers: [ArtifactsService, DeliveredSpans],
  exports: [ArtifactsService],
})
export class ReviewModule {}
