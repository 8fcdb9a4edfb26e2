import { Controller, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint } from '../platform/rest/endpoint.decorator.js';
import { BackupService } from './take-backup.js';

@ApiTags('backup')
@Controller('api/backup')
export class BackupController {
  constructor(private readonly backups: BackupService) {}

  @Endpoint('GET', {
    summary: 'Download a backup of everything, as taskyard restore takes it: a tar.gz, whole if it ends with end.json.',
    scope: 'admin',
    output: 'archive',
    errors: ['forbidden'],
  })
  async downloadBackup(@Caller() caller: Principal): Promise<StreamableFile> {
    const disposition = 'attachment; filename="taskyard-backup.tar.gz"';
    return new StreamableFile(await this.backups.open(caller), { type: 'application/gzip', disposition });
  }
}
