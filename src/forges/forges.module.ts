import { Global, Module } from '@nestjs/common';
import { REMOTE_CREDENTIALS } from '../git/remote-link.js';
import { ForgesController } from './forges.controller.js';
import { ForgesService } from './forges.service.js';

/** Global, so that git gets the token of a forge without knowing forges. */
@Global()
@Module({
  controllers: [ForgesController],
  providers: [ForgesService, { provide: REMOTE_CREDENTIALS, useExisting: ForgesService }],
  exports: [ForgesService, REMOTE_CREDENTIALS],
})
export class ForgesModule {}
