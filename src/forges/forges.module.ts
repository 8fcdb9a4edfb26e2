import { Module } from '@nestjs/common';
import { ForgesController } from './forges.controller.js';
import { ForgesService } from './forges.service.js';

@Module({ controllers: [ForgesController], providers: [ForgesService], exports: [ForgesService] })
export class ForgesModule {}
