import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { CommentsModule } from '../comments/comments.module.js';
import { DeliveriesModule } from '../deliveries/deliveries.module.js';
import { EventsModule } from '../events/events.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { ArtifactsController } from './artifacts.controller.js';
import { ArtifactsService } from './artifacts.service.js';
import { CommentPlaces } from './comment-places.js';
import { CommentTrace } from './comment-trace.js';
import { CommentsController } from './comments.controller.js';
import { CommentsService } from './comments.service.js';
import { DeliveredSpans } from './delivered-spans.js';
import { SentComments } from './sent-comments.service.js';
import { WholeDiffService } from './whole-diff.service.js';

/** What attempts have made, to be read and commented on before it is delivered and after. */
@Module({
  imports: [
    AttemptsModule,
    AuditModule,
    CommentsModule,
    DeliveriesModule,
    EventsModule,
    IdempotencyModule,
    StorageModule,
    WorkspacesModule,
  ],
  controllers: [ArtifactsController, CommentsController],
  providers: [
    ArtifactsService,
    CommentPlaces,
    CommentTrace,
    CommentsService,
    DeliveredSpans,
    SentComments,
    WholeDiffService,
  ],
  exports: [ArtifactsService, CommentPlaces, CommentTrace, SentComments],
})
export class ReviewModule {}
