import { Module } from '@nestjs/common';
import { TasksModule } from '../../tasks/tasks.module.js';
import { ThoughtsModule } from '../../thoughts/thoughts.module.js';
import { colibriToolset } from './colibri.toolset.js';

@Module({ imports: [TasksModule, ThoughtsModule], providers: [...colibriToolset.tools] })
export class ColibriModule {}
