import { Module } from '@nestjs/common';
import { MeController, TokensController } from './tokens.controller.js';
import { ServiceTokenSource } from './service-token-source.js';
import { TokensRepository } from './tokens.repository.js';
import { TokensService } from './tokens.service.js';

@Module({
  controllers: [TokensController, MeController],
  providers: [TokensRepository, TokensService, ServiceTokenSource],
})
export class TokensModule {}
