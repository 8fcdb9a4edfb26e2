/** The first prompt of a task: its title, a blank line, its description. */
export const taskText = ({ title, description }: { title: string; description: string | null }): string =>
  description ? `${title}\n\n${description}` : title;
