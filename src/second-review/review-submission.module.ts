import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { CommentsModule } from '../comments/comments.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ReviewModule } from '../review/review.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { FindingPlaces } from './finding-places.js';
import { SecondReviewModule } from './second-review.module.js';
import { SubmitReviewService } from './submit-review.service.js';

/** What takes the verdicts of reviewers, where their tools are served. */
@Module({
  imports: [
    AttemptsModule,
    CommentsModule,
    ExecutionsModule,
    ReviewModule,
    SecondReviewModule,
    StorageModule,
    WorkspacesModule,
  ],
  providers: [FindingPlaces, SubmitReviewService],
  exports: [SubmitReviewService],
})
export class ReviewSubmissionModule {}
