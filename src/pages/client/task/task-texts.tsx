interface TaskTextsProps {
  title: string;
  setTitle: (text: string) => void;
  description: string;
  setDescription: (text: string) => void;
  /** Visible lines of the description. */
  rows: number;
}

export function TaskTexts({ title, setTitle, description, setDescription, rows }: TaskTextsProps) {
  return (
    <>
      <label>
        Title
        <input type="text" value={title} maxLength={500} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      <label>
        Description
        <textarea rows={rows} value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
      </label>
    </>
  );
}
