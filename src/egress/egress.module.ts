import { Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { readForges } from '../config/forges-file.js';
import { Presets } from './presets.js';
import { Upstream } from './upstream.js';

@Module({
  providers: [
    {
      provide: Presets,
      inject: [ENVIRONMENT],
      useFactory: ({ PRESETS_FILE, FORGES_FILE }: Environment) =>
        Presets.read(
          PRESETS_FILE,
          readForges(FORGES_FILE).map(({ host }) => host),
        ),
    },
    {
      provide: Upstream,
      inject: [ENVIRONMENT],
      useFactory: ({ EGRESS_PROXY }: Environment) => new Upstream(EGRESS_PROXY),
    },
  ],
  exports: [Presets, Upstream],
})
export class EgressModule {}
