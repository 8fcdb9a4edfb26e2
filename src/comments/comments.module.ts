import { Module } from '@nestjs/common';
import { CommentsRepository } from './comments.repository.js';
import { ReviewsRepository } from './reviews.repository.js';

const rows = [CommentsRepository, ReviewsRepository];

@Module({ providers: rows, exports: rows })
export class CommentsModule {}
