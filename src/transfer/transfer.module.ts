import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ChecksModule } from '../checks/checks.module.js';
import { EventsModule } from '../events/events.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { ExportRowsRepository } from './export-rows.repository.js';
import { ExportsService } from './exports.service.js';
import { ExternalRecordsRepository } from './external-records.repository.js';
import { IssueImports } from './issue-imports.service.js';
import { IssuesController } from './issues.controller.js';
import { ImportedRowsRepository } from './imported-rows.repository.js';
import { ImportsService } from './imports.service.js';
import { ProjectImports } from './project-imports.js';
import { TransferController } from './transfer.controller.js';
import { TransferPlaces } from './transfer-places.js';

/** Takes projects out of a server and into another one, and the work of other programs in. */
@Module({
  imports: [AuditModule, ChecksModule, EventsModule, ProjectsModule, StorageModule],
  controllers: [TransferController, IssuesController],
  providers: [
    ExportRowsRepository,
    ExportsService,
    ExternalRecordsRepository,
    ImportedRowsRepository,
    ImportsService,
    IssueImports,
    ProjectImports,
    TransferPlaces,
  ],
})
export class TransferModule {}
