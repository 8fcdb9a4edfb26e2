/** The first row of a table: what stands in its columns. */
export const TableHead = ({ heads }: { heads: readonly string[] }) => (
  <thead>
    <tr>
      {heads.map((words) => (
        <th scope="col" key={words}>
          {words}
        </th>
      ))}
    </tr>
  </thead>
);
