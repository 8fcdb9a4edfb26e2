import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module.js';
import { OwnWorkRepository } from './own-work.repository.js';
import { SearchController } from './search.controller.js';
import { SearchRepository } from './search.repository.js';
import { SearchService } from './search.service.js';

/** Finds what was written, in every project that the caller sees. */
@Module({
  imports: [ProjectsModule],
  controllers: [SearchController],
  providers: [OwnWorkRepository, SearchRepository, SearchService],
})
export class SearchModule {}
