import { Module } from '@nestjs/common';
import { AgentReviewsRepository } from './agent-reviews.repository.js';
import { CommentsRepository } from './comments.repository.js';
import { ReviewsRepository } from './reviews.repository.js';

const rows = [AgentReviewsRepository, CommentsRepository, ReviewsRepository];

@Module({ providers: rows, exports: rows })
export class CommentsModule {}
