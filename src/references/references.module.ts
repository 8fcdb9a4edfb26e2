import { Module } from '@nestjs/common';
import { References } from '../mcp/providers.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ReferencesRepository } from './references.repository.js';
import { ReferencesService } from './references.service.js';

/** What ids and names mean. */
@Module({
  imports: [ProjectsModule],
  providers: [ReferencesRepository, { provide: References, useClass: ReferencesService }],
  exports: [References],
})
export class ReferencesModule {}
