// Sorts a table by the column whose head is clicked; the page is complete without it.
document.querySelectorAll('table.sortable').forEach(function(table){
  var heads=Array.from(table.tHead.rows[0].cells);
  heads.forEach(function(head,column){
    head.tabIndex=0;
    function key(row){var c=row.cells[column],v=c.dataset.v;return v===undefined?c.textContent:parseFloat(v);}
    function sort(){
      var down=head.getAttribute('aria-sort')==='ascending';
      heads.forEach(function(h){h.removeAttribute('aria-sort');});
      head.setAttribute('aria-sort',down?'descending':'ascending');
      var rows=Array.from(table.tBodies[0].rows);
      rows.sort(function(a,b){
        var x=key(a),y=key(b);
        var order=typeof x==='number'?(typeof y==='number'?x-y:-1):(typeof y==='number'?1:x.localeCompare(y));
        return down?-order:order;
      });
      rows.forEach(function(row){table.tBodies[0].appendChild(row);});
    }
    head.addEventListener('click',sort);
    head.addEventListener('keydown',function(e){if(e.key==='Enter'){sort();}});
  });
});
