import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { People } from '../oidc/people.js';
import { WorkersController } from './workers.controller.js';
import { WorkersRepository } from './workers.repository.js';
import { WorkersService } from './workers.service.js';

@Module({
  imports: [AuditModule],
  controllers: [WorkersController],
  providers: [WorkersRepository, WorkersService, { provide: People, useExisting: WorkersRepository }],
  exports: [WorkersRepository, WorkersService, People],
})
export class WorkersModule {}
