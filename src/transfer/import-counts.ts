import type { BatchKind } from './imported-rows.repository.js';
import type { ProjectPlan } from './project-imports.js';
import { type ImportOutput, noRecords, type RecordCounts } from './transfer.dto.js';

/** What an import created, by kind and by project, and what was there. */
export class ImportCounts {
  private readonly created = noRecords();
  private readonly existing = noRecords();
  private readonly ofProjects = new Map<string, RecordCounts>();

  constructor({ projects, repos, standing }: ProjectPlan) {
    for (const { id, isNew } of projects)
      if (isNew) this.countIn(id, 'project');
      else this.existing.project += 1;
    for (const { project } of repos) this.countIn(project.id, 'repository');
    this.existing.repository += standing;
  }

  counted(kind: BatchKind, what: 'created' | 'existing', project_id: string): void {
    if (what === 'created') this.countIn(project_id, kind);
    else this.existing[kind] += 1;
  }

  /** Projects in which something was created. */
  byProject(): ReadonlyMap<string, RecordCounts> {
    return this.ofProjects;
  }

  output({ projects }: ProjectPlan, dry_run: boolean): ImportOutput {
    const named = projects.map(({ id, line: { system, external_id } }) => ({ system, external_id, project_id: id }));
    return { dry_run, created: this.created, existing: this.existing, projects: named };
  }

  private countIn(project_id: string, kind: keyof RecordCounts): void {
    const counts = this.ofProjects.get(project_id) ?? noRecords();
    this.ofProjects.set(project_id, counts);
    counts[kind] += 1;
    this.created[kind] += 1;
  }
}
