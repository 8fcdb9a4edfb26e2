import { Module } from '@nestjs/common';
import { StorageLimits } from './storage-limits.service.js';
import { StoredBytesRepository } from './stored-bytes.repository.js';

@Module({ providers: [StorageLimits, StoredBytesRepository], exports: [StorageLimits] })
export class StorageModule {}
