//! What is told of grades: to the student, to the teacher, to a spreadsheet.

pub mod feedback;
pub mod page;
pub mod table;
