import { Module } from '@nestjs/common';
import { AccessWatch } from '../platform/access/access-watch.js';
import { AccessTrail } from '../platform/trail/access-trail.js';
import { AccessLog } from './access-log.js';
import { AuditController } from './audit.controller.js';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';

@Module({
  controllers: [AuditController],
  providers: [
    AuditRepository,
    AuditService,
    { provide: AccessWatch, useClass: AccessLog },
    { provide: AccessTrail, useExisting: AuditService },
  ],
  exports: [AuditService, AccessTrail, AccessWatch],
})
export class AuditModule {}
