import { Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { SecretBox } from './secret-box.js';

@Module({
  providers: [
    { provide: SecretBox, inject: [ENVIRONMENT], useFactory: (environment: Environment) => SecretBox.of(environment) },
  ],
  exports: [SecretBox],
})
export class SecretsModule {}
